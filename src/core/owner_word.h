/* SPDX-License-Identifier: MIT */
#ifndef FW_CORE_OWNER_WORD_H
#define FW_CORE_OWNER_WORD_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>

/*
 * A word that says who holds the lock, and how one waits for it.
 *
 *   word            meaning                     left by
 *   free            nobody holds it             a taker: -> owner; one that has slept: ->
 *                                               owner|WAITERS
 *   owner           held, nobody sleeps         its release; a waiter: -> owner|WAITERS
 *   owner|WAITERS   held, somebody may sleep    its release, which then wakes
 *
 *   OWNER1  A waiter sleeps only on a word in which it has seen, or set, WAITERS.
 *   OWNER2  A thread that has slept takes the word with WAITERS: others may sleep still.
 *
 *   Legal: WAITERS without sleepers (one needless wake).
 *   Illegal: to clear WAITERS and not wake; to take the word without it after a sleep.
 *
 * The loop is here; what is free, what else may be in the word, how long to spin and how to sleep
 * are the lock's policy.  Origin: mutex 2 of Drepper, "Futexes are tricky".
 */
struct fw_owner_word_ {
    bool is_wide;        /* 64 bits, else 32 */
    uint64_t waiters;    /* WAITERS */
    uint64_t no_waiters; /* a bit that WAITERS takes the place of, where the states are numbers */

    /*
     * Tries to take the lock, whose word was *now, with WAITERS or 0 in `extra`.  EBUSY: somebody
     * holds it, and *now is the word.  Anything else ends the wait.
     */
    int (*attempt)(void *waiter, uint64_t *now, uint64_t extra);
    /* Spins once, where that may pay with this in the word.  False: time to sleep. */
    bool (*spin)(void *waiter, uint64_t now);
    /* Sleeps while the word is `now`: ETIMEDOUT, or 0 to look again. */
    int (*sleep)(void *waiter, uint64_t now);
};

static inline uint64_t fw_owner_word_load_(const struct fw_owner_word_ *how, const void *word)
{
    return how->is_wide ? fw_load64_relaxed((const uint64_t *)word)
                        : fw_load32_relaxed((const uint32_t *)word);
}

static inline bool fw_owner_word_cas_(const struct fw_owner_word_ *how, void *word, uint64_t *now,
                                      uint64_t then)
{
    uint32_t narrow = (uint32_t)*now;
    bool is_done;

    if (how->is_wide)
        return fw_cas64_relaxed((uint64_t *)word, now, then);
    is_done = fw_cas32_relaxed((uint32_t *)word, &narrow, (uint32_t)then);
    *now = narrow;
    return is_done;
}

/*
 * Waits for the lock; *now: its word as it was seen last.  What `attempt` returned, or ETIMEDOUT.
 * Inlined with a constant policy, it is the loop that each lock would write for itself.
 */
static inline __attribute__((always_inline)) int
fw_owner_word_wait_(const struct fw_owner_word_ *how, void *word, uint64_t *now, void *waiter)
{
    uint64_t extra = 0;
    int error;

    while ((error = how->attempt(waiter, now, extra)) == EBUSY) {
        if (!how->spin(waiter, *now)) {
            /* F:owner-word-unannounced */
            uint64_t announced = (*now & ~how->no_waiters) | how->waiters;
            if (*now != announced && !fw_owner_word_cas_(how, word, now, announced))
                continue;         /* owner -> owner|WAITERS: OWNER1 */
            extra = how->waiters; /* OWNER2  F:owner-word-forgets */
            if (how->sleep(waiter, announced) == ETIMEDOUT)
                return ETIMEDOUT;
        }
        *now = fw_owner_word_load_(how, word);
    }
    return error;
}

#endif
