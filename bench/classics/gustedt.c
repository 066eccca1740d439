/* SPDX-License-Identifier: MIT */
#include "gustedt.h"

/* Origin, states and what was adapted: gustedt.h. */

void classic_gustedt_lock_slow_(classic_gustedt *l, unsigned spins)
{
    uint32_t now = sc_fetch_add(&l->word, GUSTEDT_ONE) + GUSTEDT_ONE; /* w -> w+1 */
    for (;;) {
        while (!gustedt_is_held(now)) {
            if (sc_cas(&l->word, &now, now | GUSTEDT_HELD)) /* n -> HELD|n */
                return;
            for (unsigned i = 0; i < spins && gustedt_is_held(now); i++)
                now = sc_load(&l->word);
        }
        while (gustedt_is_held(now)) {
            word_sleep(&l->word, now, l->scope);
            now = sc_load(&l->word);
        }
    }
}
