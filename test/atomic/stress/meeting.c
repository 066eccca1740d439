/* SPDX-License-Identifier: MIT */
#include "meeting.h"

#include <furwock/futex.h>

/* Longer than a wake takes: whoever was woken finds the others still looking, next time. */
enum { LOOKS = 50000 };

void meet(struct meeting *m)
{
    uint32_t now = __atomic_load_n(&m->phase, __ATOMIC_ACQUIRE);

    if (__atomic_add_fetch(&m->arrived, 1, __ATOMIC_ACQ_REL) == m->n) {
        __atomic_store_n(&m->arrived, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&m->phase, now + 1, __ATOMIC_RELEASE);
        fw_futex_wake(&m->phase, FW_FUTEX_ALL, FW_FUTEX_PRIVATE);
        return;
    }
    for (unsigned i = 0; __atomic_load_n(&m->phase, __ATOMIC_ACQUIRE) == now; i++)
        if (i >= LOOKS)
            fw_futex_wait(&m->phase, now, FW_FUTEX_PRIVATE, 0);
}
