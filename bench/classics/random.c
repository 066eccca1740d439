/* SPDX-License-Identifier: MIT */
#include "random.h"

/* Origin, states and the argument against lost wakes: random.h. */

void classic_random_lock_slow_(classic_random *l)
{
    while (classic_random_trylock(l) != 0) {
        uint32_t seen = RANDOM_HELD;
        if (sc_cas(&l->word, &seen, RANDOM_AWAITED) || seen == RANDOM_AWAITED) /* HELD -> AWAITED */
            word_sleep(&l->word, RANDOM_AWAITED, l->scope);
    }
}
