/* SPDX-License-Identifier: MIT */
#include "kernel_locks.h"

/* Origin and states: kernel_locks.h. */

static _Noreturn void misuse(const char *what, const classic_owner *l)
{
    uint32_t owner = sc_load(&l->word) & FW_KERNEL_OWNER;

    fw_panic_(what, l, fw_self_(), owner == 0 ? 0 : owner << FW_ID_SHIFT | FW_ID_HELD);
}

int classic_owner_lock_slow_(classic_owner *l, uint32_t adaptive, int64_t deadline)
{
    int result = kernel_device_wait(FW_KERNEL_LOCK, &l->word, 0, l->flags | adaptive, deadline);

    if (result == -EDEADLK)
        misuse("lock asked for again by its owner", l);
    return -result;
}

void classic_owner_unlock_slow_(classic_owner *l, uint32_t fair)
{
    if (kernel_device_wake(FW_KERNEL_UNLOCK, &l->word, 1, l->flags | fair, 0) < 0)
        misuse("lock released by a thread that does not own it", l);
}
