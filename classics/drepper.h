/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_DREPPER_H
#define FW_CLASSICS_DREPPER_H

#include "word.h"

/*
 * drepper: the three-state mutex, ancestor of the C libraries' mutexes.
 *
 * From: Drepper, "Futexes Are Tricky" (2004, revised 2011), section "Mutex, Take 2" (`mutex2`),
 * with the exchange in the slow path of the section that follows it.
 *
 *   word  meaning                              left by
 *   0     free                                 trylock, fast lock: -> 1;  slow lock: -> 2
 *   1     held, nobody waits                   unlock: -> 0;  a waiter: -> 2
 *   2     held, somebody may wait              unlock: -> 0, and a wake
 *
 *   Legal:   2 while nobody sleeps (one needless wake).
 *   Illegal: 0 or 1 while somebody sleeps and nobody is awake who will write 2.
 *
 * Faithful: the states and their transitions.
 * Adapted: unlock is one exchange, where the original decrements and then stores when it was not
 * alone; FW_FUTEX_SHARED.
 *
 * No wake is lost: whoever has slept takes the lock as 2, and so passes on the duty to wake.
 *
 *     A has the lock (2)           B and C sleep
 *     unlock: 2 -> 0
 *                                  D: 0 -> 1 (a newcomer)
 *     wake one: B
 *                                  B: exchange 2, saw 1: sleeps again, but the word is 2
 *                                  D: unlock: 2 -> 0, wakes B or C
 *
 * Weaknesses: greedy, the unlocker or a newcomer can win again and again; a task that is killed
 * after it was woken takes the wake with it.
 */
typedef struct classic_drepper {
    uint32_t word;
} classic_drepper;

#define CLASSIC_DREPPER_INIT \
    {                        \
        0                    \
    }

enum { DREPPER_FREE = 0, DREPPER_HELD = 1, DREPPER_AWAITED = 2 };

void classic_drepper_lock_slow_(classic_drepper *l);

/* Takes the lock if it is free: 0 or EBUSY. */
static inline int classic_drepper_trylock(classic_drepper *l)
{
    uint32_t free = DREPPER_FREE;
    return sc_cas(&l->word, &free, DREPPER_HELD) ? 0 : EBUSY; /* FREE -> HELD */
}

static inline void classic_drepper_lock(classic_drepper *l)
{
    if (classic_drepper_trylock(l) != 0)
        classic_drepper_lock_slow_(l);
}

static inline void classic_drepper_unlock(classic_drepper *l)
{
    if (sc_exchange(&l->word, DREPPER_FREE) == DREPPER_AWAITED) /* HELD, AWAITED -> FREE */
        word_wake_one(&l->word);
}

#endif
