/* SPDX-License-Identifier: MIT */
#include "drepper.h"

/* Origin, states and what was adapted: drepper.h. */

/* Sees to it that a held word says AWAITED; false where it turns out to be free. */
static bool announce(classic_drepper *l)
{
    uint32_t seen = DREPPER_HELD;
    return sc_cas(&l->word, &seen, DREPPER_AWAITED) || seen != DREPPER_FREE; /* HELD -> AWAITED */
}

void classic_drepper_lock_slow_(classic_drepper *l, uint32_t seen)
{
    do {
        if (seen == DREPPER_AWAITED || announce(l))
            word_sleep(&l->word, DREPPER_AWAITED, l->scope);
        seen = DREPPER_FREE;
    } while (!sc_cas(&l->word, &seen, DREPPER_AWAITED)); /* FREE -> AWAITED: others may sleep */
}
