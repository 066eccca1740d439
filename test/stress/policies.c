/* SPDX-License-Identifier: MIT */
#include "stress.h"

/* All policies, and both kinds of release, mixed on the same locks. */

enum { N_LOCKS = 2 };

static struct guarded locks[N_LOCKS];

static const fw_wait_policy policies[] = {
    {FW_WAIT_BLOCK, 0}, {FW_WAIT_SPIN_THEN_BLOCK, 3000}, {FW_WAIT_SPIN, 0},
    {FW_WAIT_YIELD, 0}, {FW_WAIT_SPIN_THEN_BLOCK, 0},    {FW_WAIT_DEFAULT, 0}};

static void body(struct worker *me)
{
    const fw_wait_policy *mine = &policies[me->index % 6];

    do {
        struct guarded *g = &locks[draw(me, 4) == 0];

        if (fw_mutex_lock_policy(&g->lock, draw(me, 8) ? mine : &policies[draw(me, 6)], NULL) != 0)
            stress_fail("a lock without a deadline failed", g);
        use(g);
        if (draw(me, 32) == 0)
            burn(draw(me, 20000));
        if (draw(me, 512) == 0)
            sleep_us(200);
        if ((me->index + draw(me, 4)) % 2)
            fw_mutex_unlock_fair(&g->lock);
        else
            fw_mutex_unlock(&g->lock);
        did_a_turn(me);
    } while (!stress_is_over());
}

int main(int argc, char **argv)
{
    stress.about = "All waiting policies and both kinds of release on the same locks";
    stress.threads = 9;
    stress.locks = locks;
    stress.n_locks = N_LOCKS;
    stress_begin(argc, argv);
    stress_run(stress.threads, body);
    return stress_end();
}
