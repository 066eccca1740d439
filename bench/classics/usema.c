/* SPDX-License-Identifier: MIT */
#include "usema.h"

/* Origin, states and what was adapted: usema.h. */

void classic_usema_wait_slow_(classic_usema *u)
{
    for (;;) {
        uint32_t wakeups = sc_load(&u->wakeups);
        while (wakeups != 0)
            if (sc_cas(&u->wakeups, &wakeups, wakeups - 1)) /* one wake-up less: ours */
                return;
        word_sleep(&u->wakeups, 0, u->scope);
    }
}

void classic_usema_wakeup_slow_(classic_usema *u)
{
    sc_fetch_add(&u->wakeups, 1); /* one wake-up more */
    word_wake_one(&u->wakeups, u->scope);
}
