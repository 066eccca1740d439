/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_ANNOUNCE_H
#define FW_IPC_ANNOUNCE_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>
#include <furwock/futex.h>

#include "ipc/region/layout.h"

/*
 * Words on which any number of threads sleep until there is something for one of them: how a thread
 * that wakes knows whether others sleep.
 *
 *   bit   63             62 ..... 32   31         30 .......... 0
 *         the object's   changes       WAITERS    the object's
 *
 * Every change of the word takes the next number of changes.
 *
 * Legal:   WAITERS set when nobody sleeps: one needless wake, which takes it back.
 * Illegal: WAITERS clear when a thread sleeps (it would cost a re-check interval).
 *
 *   ANN1  A sleeper has changed the word since it was last seen without WAITERS, and sleeps on the
 *         low half that it left.
 *   ANN2  WAITERS is cleared by a thread that woke, found nobody asleep, and sees in the number of
 *         changes that none has announced itself since.
 *
 * Deaths: a thread that announced itself and died leaves a needless wake; one that dies before it
 * wakes others owes them that wake (wait.h).
 */
#define FW_IPC_CHANGES_ (UINT64_C(0x7fffffff) << 32)

/* The same, one change later. */
static inline uint64_t fw_ipc_changed_(uint64_t w)
{
    return (w & ~FW_IPC_CHANGES_) | ((w + (UINT64_C(1) << 32)) & FW_IPC_CHANGES_);
}

static inline bool fw_ipc_has_waiters_(uint64_t w)
{
    return (w & FW_IPC_WAITERS) != 0;
}

/* What sleepers see: the low half. */
static inline const uint32_t *fw_ipc_half_(const uint64_t *word)
{
    return (const uint32_t *)(const void *)word;
}

/* Wakes at most n; `seen` is what the word was when the caller had changed it. */
static inline void fw_ipc_wake_announced_(uint64_t *word, uint64_t seen, unsigned n)
{
    if (fw_futex_wake(fw_ipc_half_(word), n, FW_FUTEX_SHARED) == 0)
        fw_cas64_relaxed(word, &seen, seen & ~FW_IPC_WAITERS); /* ANN2  F:ipc-sem-clears-all */
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the low half comes first");

#endif
