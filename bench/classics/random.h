/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_RANDOM_H
#define FW_CLASSICS_RANDOM_H

#include "word.h"

/*
 * random: the third release policy, "random fairness": nobody is chosen, all recontend.
 *
 * From: Franke, Russell and Kirkwood, "Fuss, Futexes and Furwocks" (OLS 2002), section 2: "mark the
 * lock available upon release, wake all waiting processes and have them recontend for the lock.
 * This is referred to as random fairness ...  However, this also leads to the well known thundering
 * herd problem."  The paper describes it as what others do, prints no code and measures none; this
 * is the plain construction on FUTEX_WAIT and FUTEX_WAKE (section 3.1.3).
 *
 *   word  meaning                   left by
 *   0     free                      lock, trylock, a woken waiter: -> 1
 *   1     held, nobody sleeps       unlock: -> 0;  a waiter: -> 2
 *   2     held, somebody may sleep  unlock: -> 0, and a wake of all
 *
 *   Legal:   2 while nobody sleeps (one needless wake).
 *   Illegal: 0 or 1 while somebody sleeps whom no wake under way will meet.
 *
 * No wake is lost.  Only an unlock leaves 2, and it wakes all who sleep by then; so who takes the
 * lock after a sleep takes it as 1, for none of the others sleeps because of an earlier owner:
 *
 *     A has the lock (2)           S sleeps
 *     unlock: 2 -> 0
 *                                  N: 0 -> 1 (a newcomer);  W: 1 -> 2, sleeps
 *     wake all: S and W
 *                                  S: 1 or 2 -> 2, sleeps;  W sleeps on 2 again
 *                                  N: unlock: 2 -> 0, wakes both
 *
 * Weaknesses: the herd: n waiters make n futile wakes and sleeps for each release; no order; on a
 * machine with one CPU it "can work quite well" (section 2).
 */
typedef struct classic_random {
    uint32_t word;
    uint32_t scope; /* enum classic_scope */
} classic_random;

#define CLASSIC_RANDOM_INIT \
    {                       \
        0, CLASSIC_SHARED   \
    }

enum { RANDOM_FREE = 0, RANDOM_HELD = 1, RANDOM_AWAITED = 2 };

void classic_random_lock_slow_(classic_random *l);

/* Takes the lock if it is free: 0 or EBUSY. */
static inline int classic_random_trylock(classic_random *l)
{
    uint32_t seen = RANDOM_FREE;
    return sc_cas(&l->word, &seen, RANDOM_HELD) ? 0 : EBUSY; /* FREE -> HELD */
}

static inline void classic_random_lock(classic_random *l)
{
    if (classic_random_trylock(l) != 0)
        classic_random_lock_slow_(l);
}

static inline void classic_random_unlock(classic_random *l)
{
    uint32_t scope = l->scope;
    if (sc_exchange(&l->word, RANDOM_FREE) == RANDOM_AWAITED) /* HELD, AWAITED -> FREE */
        word_wake(&l->word, FW_FUTEX_ALL, scope);
}

#endif
