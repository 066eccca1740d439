/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_ULOCK_H
#define FW_CLASSICS_ULOCK_H

#include "ksem.h"
#include "spin.h"
#include "word.h"

/*
 * ulock: Franke's exclusive lock with the convoy-avoiding wakeup policy ("ca-lock", greedy).
 *
 * From: Franke, Russell and Kirkwood, "Fuss, Futexes and Furwocks" (OLS 2002), section 3, the
 * ulocks prototype; the policy from section 2: on release mark the lock available, wake one
 * waiter, and let it recontend.
 *
 *   bit 0        held
 *   bits 1-31    how many wait in the kernel and have not been woken
 *
 *   word      meaning                            left by
 *   0         free                               lock: -> HELD
 *   HELD      held, nobody waits                 unlock: -> 0;  a waiter: -> HELD, 1
 *   HELD, n   held, n wait                       unlock: -> n-1, and a wake;
 *                                                a waiter: -> HELD, n+1
 *   n         free, n wait, a woken one is       anybody: -> HELD, n
 *             on its way (or was overtaken)
 *
 *   Illegal: n > 0 and free, with nobody on the way who will take the lock and then wake.
 *
 * Faithful: "the state of the lock and the number of waiting tasks in the kernel is all recorded
 * in the lock word", which the kernel never looks at; compare and exchange; one task woken per
 * release, which contends again.  The queue is ksem.h.
 * Adapted: the paper does not print the word of a ca-lock; plain counting (ulock_fair.h) has no
 * value for "free, but awaited", hence the two fields.
 *
 * No wake is lost: a waiter is counted before it goes to the queue, and a release that finds n
 * waiters takes one out of the count and gives the queue one unit, which waits there for whom it
 * is meant:
 *
 *     owner                              W
 *                                        HELD -> HELD, 1
 *     HELD, 1 -> 0
 *     ksem_up: nobody sleeps
 *                                        ksem_down returns at once; W tries again
 *
 * So the tasks in the queue are always as many as are counted plus those that have a unit;
 * whoever has one takes the lock, and by its unlock sees the others, or counts itself in again.
 *
 * Weaknesses: newcomers overtake, the unlocker first of all; a task that is killed while it waits
 * stays in the count, and a wake is spent on it; unlock looks at the queue after the lock was
 * free, so the next owner must not free the memory at once.
 */
typedef struct classic_ulock {
    uint32_t word;
    classic_ksem queue;
} classic_ulock;

#define CLASSIC_ULOCK_INIT    \
    {                         \
        0,                    \
        {                     \
            0, CLASSIC_SHARED \
        }                     \
    }

#define ULOCK_FREE 0u
#define ULOCK_HELD 1u   /* bit 0 */
#define ULOCK_WAITER 2u /* one in bits 1-31 */

static inline bool ulock_is_held(uint32_t word)
{
    return (word & ULOCK_HELD) != 0;
}

void classic_ulock_lock_slow_(classic_ulock *l);
void classic_ulock_lock_spin_slow_(classic_ulock *l, uint32_t spin_ns);
void classic_ulock_unlock_slow_(classic_ulock *l, uint32_t word);

/* Takes the lock if it is free: 0 or EBUSY. */
static inline int classic_ulock_trylock(classic_ulock *l)
{
    uint32_t word = ULOCK_FREE;
    do {
        if (sc_cas(&l->word, &word, word | ULOCK_HELD)) /* n -> HELD, n */
            return 0;
    } while (!ulock_is_held(word));
    return EBUSY;
}

static inline void classic_ulock_lock(classic_ulock *l)
{
    uint32_t free = ULOCK_FREE;
    if (!sc_cas(&l->word, &free, ULOCK_HELD)) /* FREE -> HELD */
        classic_ulock_lock_slow_(l);
}

/* ulocks(spin,3) is this with SPIN_PAPER_NS. */
static inline void classic_ulock_lock_spin(classic_ulock *l, uint32_t spin_ns)
{
    uint32_t free = ULOCK_FREE;
    if (!sc_cas(&l->word, &free, ULOCK_HELD)) /* FREE -> HELD */
        classic_ulock_lock_spin_slow_(l, spin_ns);
}

static inline void classic_ulock_unlock(classic_ulock *l)
{
    uint32_t word = ULOCK_HELD;
    if (!sc_cas(&l->word, &word, ULOCK_FREE)) /* HELD -> FREE */
        classic_ulock_unlock_slow_(l, word);
}

#endif
