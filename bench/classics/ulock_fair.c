/* SPDX-License-Identifier: MIT */
#include "ulock_fair.h"

/* Origin, states and what was adapted: ulock_fair.h. */

void classic_ulock_fair_lock_spin_slow_(classic_ulock_fair *l, uint32_t spin_ns)
{
    struct spin s = {.ns = spin_ns};
    do {
        if (sc_load(&l->status) == ULOCK_FAIR_FREE && classic_ulock_fair_trylock(l) == 0)
            return;
    } while (spin_more(&s));
    classic_ulock_fair_lock(l);
}
