/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_STATE_H
#define FW_IPC_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/ipc/state.h>

#include "ipc/rwlock.h"

/*
 * What the word of a lock says to a thread that only looks: for fw_ipc_mutex_state and
 * fw_ipc_rwlock_state, and for tools (inspect.h).  Whether the holder lives is another question, to
 * which tools have answers of their own.
 */
struct fw_ipc_word_ {
    bool is_possible; /* can the lock have had this word, as far as its holder can be left out? */
    bool is_unusable;
    bool is_unrepaired;      /* its owner was told EOWNERDEAD; or, beside a dead one, was not yet */
    uint64_t holder;         /* 0: none */
    fw_ipc_rwlock_mode mode; /* in which that holder has it; NONE: it waits for readers to leave */
};

static inline struct fw_ipc_word_ fw_ipc_mutex_word_(uint64_t w)
{
    struct fw_ipc_word_ is = {.is_possible = true, .is_unusable = w == FW_IPC_ABANDONED};

    if (w == 0 || is.is_unusable)
        return is;
    is.is_possible = (w & FW_IPC_HOLDER) != 0;
    is.is_unrepaired = (w & FW_IPC_DIED) != 0;
    is.holder = w & FW_IPC_HOLDER;
    is.mode = FW_IPC_RWLOCK_WRITE;
    return is;
}

static inline struct fw_ipc_word_ fw_ipc_rwlock_word_(uint64_t w)
{
    struct fw_ipc_word_ is = {.is_possible = true, .is_unusable = ipc_rw_is_lost(w)};

    if (w == 0 || is.is_unusable)
        return is;
    is.is_possible = ipc_rw_is_possible(w);
    is.is_unrepaired = ipc_rw_is_unrepaired(w);
    is.holder = ipc_rw_holder(w);
    if (ipc_rw_is_upgradable(w))
        is.mode = FW_IPC_RWLOCK_UPGRADABLE;
    else if ((w & IPC_RW_DRAINING) == 0)
        is.mode = FW_IPC_RWLOCK_WRITE;
    return is;
}

/* Does the death of this holder leave data that may be half changed?  IRW5 */
static inline bool fw_ipc_rwlock_left_(uint64_t w)
{
    return ipc_rw_is_written(w);
}

#endif
