/* SPDX-License-Identifier: MIT */
#include "ksem.h"

/* Origin, states and the argument against lost wakes: ksem.h. */

/* What a down may take of `units`: KSEM_GIVEN, KSEM_EARLY, or 0, nothing. */
static uint32_t takes(uint32_t units, bool woken)
{
    if (woken && ksem_has_given(units))
        return KSEM_GIVEN;
    return ksem_has_early(units) ? KSEM_EARLY : 0;
}

void classic_ksem_down(classic_ksem *k)
{
    bool woken = false; /* is the latest thing that happened to us a wake? */
    uint32_t units = sc_load(&k->units);

    for (;;) {
        uint32_t unit = takes(units, woken);
        if (unit == 0) {
            woken = word_sleep(&k->units, units);
            units = sc_load(&k->units);
        } else if (sc_cas(&k->units, &units, units - unit)) { /* one given or early unit less */
            return;
        }
    }
}

void classic_ksem_up(classic_ksem *k)
{
    uint32_t units = sc_fetch_add(&k->units, KSEM_GIVEN) + KSEM_GIVEN; /* one given unit more */
    if (word_wake_one(&k->units))
        return;

    /* Nobody slept.  If nobody has taken the unit since, it becomes anybody's. */
    while (ksem_has_given(units))
        if (sc_cas(&k->units, &units, units - KSEM_GIVEN + KSEM_EARLY)) { /* given -> early */
            word_wake_one(&k->units);
            return;
        }
}
