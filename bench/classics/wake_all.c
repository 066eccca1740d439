/* SPDX-License-Identifier: MIT */
#include "wake_all.h"

/* Origin, states and the argument against lost signals: wake_all.h. */

int classic_wake_all_wait(classic_wake_all *c, fw_mutex *m, const fw_deadline *deadline)
{
    uint32_t seq = sc_load(&c->seq);

    fw_mutex_unlock(m);
    int result = fw_futex_wait(&c->seq, seq, FW_FUTEX_PRIVATE, deadline);
    fw_mutex_lock(m);
    return result == -ETIMEDOUT ? ETIMEDOUT : 0;
}

static void change_and_wake(classic_wake_all *c, unsigned n)
{
    sc_fetch_add(&c->seq, 1); /* n -> n+1 */
    fw_futex_wake(&c->seq, n, FW_FUTEX_PRIVATE);
}

void classic_wake_all_signal(classic_wake_all *c)
{
    change_and_wake(c, 1);
}

void classic_wake_all_broadcast(classic_wake_all *c)
{
    change_and_wake(c, FW_FUTEX_ALL);
}
