/* SPDX-License-Identifier: MIT */
#include "spin_yield.h"

#include "sys/clock.h"

/* Origin, states and what was adapted: spin_yield.h. */

void classic_spin_yield_lock_slow_(classic_spin_yield *l)
{
    for (;;) {
        for (unsigned i = 0; i < SPIN_YIELD_TRIES; i++)
            if (sc_load(&l->word) == SPIN_YIELD_FREE && classic_spin_yield_trylock(l) == 0)
                return;
        fw_yield_();
    }
}
