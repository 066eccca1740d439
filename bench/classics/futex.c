/* SPDX-License-Identifier: MIT */
#include "futex.h"

/* Origin, states, repairs and the argument against lost wakes: futex.h. */

/* Leaves "passed" for `to`, against newcomers that decrement.  False: somebody else has left it. */
static bool leave_passed(classic_futex *f, uint32_t to)
{
    uint32_t count = sc_load(&f->count);
    while (futex_is_passed(count))
        if (sc_cas(&f->count, &count, to)) /* PASSED -> to */
            return true;
    return false;
}

/* `count` is what the caller's decrement left: not TAKEN, so negative. */
void classic_futex_down_slow_(classic_futex *f, uint32_t count)
{
    bool slept = false;

    for (;;) {
        if (word_sleep(&f->count, count, f->scope)) {
            slept = true;
            if (leave_passed(f, FUTEX_CONTENDED)) /* PASSED -> CONTENDED: ours */
                return;
        }
        count = sc_load(&f->count);
        if (futex_is_negative(count))
            continue;
        count = sc_fetch_sub(&f->count, 1) - 1; /* AVAILABLE -> TAKEN, or TAKEN -> CONTENDED */
        if (count == FUTEX_TAKEN)
            break;
    }

    /* Others may still sleep.  What newcomers have subtracted since is lost, and was not needed. */
    if (slept)
        sc_store(&f->count, FUTEX_CONTENDED); /* TAKEN or less -> CONTENDED */
}

void classic_futex_down_spin_slow_(classic_futex *f, uint32_t spin_ns)
{
    struct spin s = {.ns = spin_ns};
    do {
        if (sc_load(&f->count) == FUTEX_AVAILABLE && classic_futex_trydown(f) == 0)
            return;
    } while (spin_more(&s));
    classic_futex_down(f);
}

void classic_futex_up_fair_slow_(classic_futex *f)
{
    uint32_t scope = f->scope;

    /* The caller's still: nobody else changes a held word but by decrements, which may be lost. */
    sc_store(&f->count, FUTEX_PASSED);
    if (word_wake_one(&f->count, scope))
        return;
    if (leave_passed(f, FUTEX_AVAILABLE)) /* PASSED -> AVAILABLE: nobody was there to take it */
        word_wake_one(&f->count, scope);
}
