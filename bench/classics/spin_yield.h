/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_SPIN_YIELD_H
#define FW_CLASSICS_SPIN_YIELD_H

#include "word.h"

/*
 * spin_yield: try 1000 times, then let others run, then try again.
 *
 * From: Franke, Russell and Kirkwood, "Fuss, Futexes and Furwocks" (OLS 2002), section 4.2: the
 * "spin then yield" locks of the tdbtorture runs, "which try to get the lock 1000 times before
 * calling yield()".
 *
 *   word  meaning   left by
 *   0     free      lock, trylock: -> 1
 *   1     held      unlock: -> 0
 *
 * Faithful: the number, the yield, and that nobody ever sleeps.
 * Adapted: a try looks before it exchanges, so that pollers do not fight for the cache line.  After
 * the yield another 1000 tries begin (the paper does not say).
 *
 * Weaknesses: a waiter burns a CPU for as long as it waits; with real-time priorities a
 * waiter can keep the owner from running, since yielding lets only equals in; no order of any
 * kind.
 */
typedef struct classic_spin_yield {
    uint32_t word;
} classic_spin_yield;

#define CLASSIC_SPIN_YIELD_INIT \
    {                           \
        0                       \
    }

#define SPIN_YIELD_TRIES 1000u /* section 4.2 */

enum { SPIN_YIELD_FREE = 0, SPIN_YIELD_HELD = 1 };

void classic_spin_yield_lock_slow_(classic_spin_yield *l);

/* Takes the lock if it is free: 0 or EBUSY. */
static inline int classic_spin_yield_trylock(classic_spin_yield *l)
{
    return sc_exchange(&l->word, SPIN_YIELD_HELD) == SPIN_YIELD_FREE ? 0 : EBUSY; /* any -> HELD */
}

static inline void classic_spin_yield_lock(classic_spin_yield *l)
{
    if (classic_spin_yield_trylock(l) != 0)
        classic_spin_yield_lock_slow_(l);
}

static inline void classic_spin_yield_unlock(classic_spin_yield *l)
{
    sc_store(&l->word, SPIN_YIELD_FREE); /* HELD -> FREE */
}

#endif
