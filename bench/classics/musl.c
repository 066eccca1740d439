/* SPDX-License-Identifier: MIT */
#include "musl.h"

#include "sys/clock.h"

/* Origin, states and what was adapted: musl.h. */

/* Whether the lock was seen free before patience, or the absence of sleepers, came to its end. */
static bool poll(const classic_musl *l)
{
    for (unsigned looks = 0; looks < MUSL_LOOKS && sc_load(&l->waiters) == 0; looks++) {
        if (sc_load(&l->word) == MUSL_FREE)
            return true;
        fw_pause_();
    }
    return false;
}

static void sleep_until_free(classic_musl *l)
{
    sc_fetch_add(&l->waiters, 1);
    while (sc_load(&l->word) == MUSL_HELD)
        word_sleep(&l->word, MUSL_HELD, l->scope);
    sc_fetch_sub(&l->waiters, 1);
}

void classic_musl_lock_slow_(classic_musl *l)
{
    do {
        if (!poll(l))
            sleep_until_free(l);
    } while (classic_musl_trylock(l) != 0);
}
