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
    uint32_t units;

    if (scope_is_kernel(k->scope)) {
        kernel_device_wait(FW_KERNEL_SEM_DOWN, &k->units, 0, scope_kernel_flags(k->scope),
                           FW_KERNEL_NEVER);
        return;
    }
    units = sc_load(&k->units);
    for (;;) {
        uint32_t unit = takes(units, woken);
        if (unit == 0) {
            woken = word_sleep(&k->units, units, k->scope);
            units = sc_load(&k->units);
        } else if (sc_cas(&k->units, &units, units - unit)) { /* one given or early unit less */
            return;
        }
    }
}

void classic_ksem_up_many(classic_ksem *k, uint32_t n)
{
    uint32_t units, left;

    if (scope_is_kernel(k->scope)) {
        kernel_device_wake(FW_KERNEL_SEM_UP, &k->units, n, scope_kernel_flags(k->scope), 0);
        return;
    }
    units = sc_fetch_add(&k->units, n * KSEM_GIVEN) + n * KSEM_GIVEN; /* n more given */
    left = n - word_wake(&k->units, n, k->scope);

    /* `left` did not sleep.  What nobody has taken of their units since becomes anybody's. */
    while (left > 0 && ksem_has_given(units)) {
        uint32_t given = units / KSEM_GIVEN;
        uint32_t moved = given < left ? given : left;
        if (sc_cas(&k->units, &units, units - moved * (KSEM_GIVEN - KSEM_EARLY))) {
            word_wake(&k->units, moved, k->scope); /* given -> early */
            return;
        }
    }
}
