/* SPDX-License-Identifier: MIT */
#include "drepper.h"

/* Origin, states and what was adapted: drepper.h. */

void classic_drepper_lock_slow_(classic_drepper *l)
{
    /* any -> AWAITED: taken with the duty to wake, or left so for the owner to see. */
    while (sc_exchange(&l->word, DREPPER_AWAITED) != DREPPER_FREE)
        word_sleep(&l->word, DREPPER_AWAITED);
}
