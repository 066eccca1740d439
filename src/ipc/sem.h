/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_SEM_H
#define FW_IPC_SEM_H

#include <stdint.h>

#include <furwock/bits/atomic.h>
#include <furwock/ipc/sem.h>

/* In made_, beside the maximum.  0: zeroed memory is a semaphore, too. */
#define FW_IPC_SEM_MADE_ UINT32_C(0x80000000)

static inline uint32_t fw_ipc_sem_maximum_(const fw_ipc_sem *s)
{
    uint32_t made = fw_load32_relaxed(&s->made_);

    return (made & FW_IPC_SEM_MADE_) != 0 ? made & FW_IPC_SEM_MAX : FW_IPC_SEM_MAX;
}

/* Takes a permit: 0, EUCLEAN; EBUSY: there is none, and the word, *expected by now, says so. */
int fw_ipc_sem_attempt_(fw_ipc_sem *s, uint32_t *expected);

#endif
