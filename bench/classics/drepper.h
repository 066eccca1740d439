/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_DREPPER_H
#define FW_CLASSICS_DREPPER_H

#include "word.h"

/*
 * drepper: the three-state mutex, ancestor of the C libraries' mutexes.
 *
 * From: Drepper, "Futexes Are Tricky" (2004, revised 2011), section "Mutex, Take 2": `mutex2`.
 *
 *   word  meaning                              left by
 *   0     free                                 trylock, fast lock: -> 1;  slow lock: -> 2
 *   1     held, nobody waits                   unlock: -> 0;  a waiter: -> 2
 *   2     held, somebody may wait              unlock: -> 0, and a wake
 *
 *   Legal:   2 while nobody sleeps (one needless wake).
 *   Illegal: 0 or 1 while somebody sleeps and nobody is awake who will write 2.
 *
 * Faithful: each compare-and-exchange in its place, and an unlock that decrements, and stores 0
 * only where it was not alone.
 * Adapted: sequentially consistent operations, as on the machines it was
 * written for.
 *
 * No wake is lost: whoever has slept takes the lock as 2, and so passes on the duty to wake.
 *
 *     A has the lock (2)           B and C sleep
 *     unlock: 2 -> 1 -> 0
 *                                  D: 0 -> 1 (a newcomer)
 *     wake one: B
 *                                  B: 0 -> 2 fails, 1 -> 2: sleeps again
 *                                  D: unlock: 2 -> 1 -> 0, wakes B or C
 *
 * Weaknesses: greedy, the unlocker or a newcomer can win again and again; a task that is killed
 * after it was woken takes the wake with it.
 */
typedef struct classic_drepper {
    uint32_t word;
    uint32_t scope; /* enum classic_scope */
} classic_drepper;

#define CLASSIC_DREPPER_INIT \
    {                        \
        0, CLASSIC_SHARED    \
    }

enum { DREPPER_FREE = 0, DREPPER_HELD = 1, DREPPER_AWAITED = 2 };

/* `seen` is what a compare-and-exchange from FREE found instead. */
void classic_drepper_lock_slow_(classic_drepper *l, uint32_t seen);

/* Takes the lock if it is free: 0 or EBUSY. */
static inline int classic_drepper_trylock(classic_drepper *l)
{
    uint32_t seen = DREPPER_FREE;
    return sc_cas(&l->word, &seen, DREPPER_HELD) ? 0 : EBUSY; /* FREE -> HELD */
}

static inline void classic_drepper_lock(classic_drepper *l)
{
    uint32_t seen = DREPPER_FREE;
    if (!sc_cas(&l->word, &seen, DREPPER_HELD)) /* FREE -> HELD */
        classic_drepper_lock_slow_(l, seen);
}

static inline void classic_drepper_unlock(classic_drepper *l)
{
    uint32_t scope = l->scope;
    if (sc_fetch_sub(&l->word, 1) != DREPPER_HELD) { /* HELD -> FREE, or AWAITED -> HELD */
        sc_store(&l->word, DREPPER_FREE);            /* HELD, AWAITED -> FREE */
        word_wake_one(&l->word, scope);
    }
}

#endif
