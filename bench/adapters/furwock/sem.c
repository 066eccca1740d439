/* SPDX-License-Identifier: MIT */
/* furwock/sem.h. */
#include <furwock/sem.h>

#include "bench/adapters/sync_adapter_define.h"
#include "measure/deadline.h"

ADAPTER_INIT(sem, fw_sem, fw_sem_init(l, 0, FW_SEM_MAX))
ADAPTER_INIT(sem_full, fw_sem, fw_sem_init(l, 3, 3))
SEM_CALLS(sem, fw_sem, fw_sem_wait(l), fw_sem_trywait(l), fw_sem_post(l), fw_sem_value(l))
ADAPTER_UNTIL(sem_timedwait_, fw_sem, fw_sem_timedwait(l, DEADLINE(at)))

static int sem_post_n_(void *s, uint32_t n)
{
    return fw_sem_post_n(s, n);
}

const struct sem_adapter sem_adapter_furwock = {
    .name = "furwock",
    .about = "fw_sem",
    .family = FAMILY_FURWOCK,
    .flags = ADAPTER_BLOCKS | ADAPTER_SPINS | ADAPTER_FREEABLE,
    ADAPTER_OBJECT(fw_sem, sem_init_),
    SEM_MEMBERS(sem),
    .timedwait = sem_timedwait_,
    .post_n = sem_post_n_,
};
