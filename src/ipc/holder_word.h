/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_HOLDER_WORD_H
#define FW_IPC_HOLDER_WORD_H

#include "core/owner_word.h"
#include "ipc/region/layout.h"
#include "ipc/wait.h"

/*
 * How a thread waits for a word that names its holder, between processes: as core/owner_word.h has
 * it, and while it sleeps it watches the life of the holder that it has seen (wait.h).  What a lock
 * calls its waiter begins with one of these.
 */
struct fw_ipc_waiter_ {
    const uint64_t *word;
    struct fw_ipc_wait_ *wait;
};

static inline bool fw_ipc_owner_spin_(void *waiter, uint64_t now)
{
    const struct fw_ipc_waiter_ *me = (const struct fw_ipc_waiter_ *)waiter;

    return fw_ipc_wait_spin_on_(me->wait, now & FW_IPC_HOLDER);
}

static inline int fw_ipc_owner_sleep_(void *waiter, uint64_t now)
{
    const struct fw_ipc_waiter_ *me = (const struct fw_ipc_waiter_ *)waiter;

    fw_ipc_wait_watch_(me->wait, now & FW_IPC_HOLDER); /* F:ipc-owner-unwatched */
    return fw_ipc_wait_sleep_(me->wait, (const uint32_t *)(const void *)me->word, (uint32_t)now);
}

#define FW_IPC_OWNER_WORD_(attempt_, spin_)                                                 \
    {                                                                                       \
        .is_wide = true, .waiters = FW_IPC_WAITERS, .attempt = (attempt_), .spin = (spin_), \
        .sleep = fw_ipc_owner_sleep_                                                        \
    }

#endif
