/* SPDX-License-Identifier: MIT */
#include "ulock.h"

/* Origin, states and what was adapted: ulock.h. */

void classic_ulock_lock_slow_(classic_ulock *l)
{
    uint32_t word = sc_load(&l->word);
    for (;;) {
        if (!ulock_is_held(word)) {
            if (sc_cas(&l->word, &word, word | ULOCK_HELD)) /* n -> HELD, n */
                return;
        } else if (sc_cas(&l->word, &word, word + ULOCK_WAITER)) { /* HELD, n -> HELD, n+1 */
            classic_ksem_down(&l->queue);
            word = sc_load(&l->word);
        }
    }
}

void classic_ulock_lock_spin_slow_(classic_ulock *l, uint32_t spin_ns)
{
    struct spin s = {.ns = spin_ns};
    do {
        if (!ulock_is_held(sc_load(&l->word)) && classic_ulock_trylock(l) == 0)
            return;
    } while (spin_more(&s));
    classic_ulock_lock_slow_(l);
}

/* `word` is as just seen: held, with waiters, of whom there are more at most until we let go. */
void classic_ulock_unlock_slow_(classic_ulock *l, uint32_t word)
{
    while (!sc_cas(&l->word, &word, word - ULOCK_HELD - ULOCK_WAITER)) /* HELD, n -> n-1 */
        continue;
    classic_ksem_up(&l->queue);
}
