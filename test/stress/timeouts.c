/* SPDX-License-Identifier: MIT */
#include "stress.h"

#include <errno.h>
#include <stdio.h>

/*
 * Deadlines so short that they race with wakes, hand-offs and other deadlines.  Whoever gives up
 * must leave no trace: in the end the lock is free and nobody is counted in line.
 */

enum { N_LOCKS = 2 };

static struct guarded locks[N_LOCKS];
static uint64_t granted, timed_out;

static const fw_wait_policy policies[] = {
    {FW_WAIT_BLOCK, 0}, {FW_WAIT_SPIN_THEN_BLOCK, 2000}, {FW_WAIT_DEFAULT, 0}, {FW_WAIT_YIELD, 0}};

static bool take(struct worker *me, struct guarded *g)
{
    fw_deadline d = in_ns((int64_t)draw(me, 120000) - 2000);
    int error;

    if (draw(me, 16) == 0) {
        fw_mutex_lock(&g->lock);
        return true;
    }
    error = fw_mutex_lock_policy(&g->lock, &policies[draw(me, 4)], &d);
    if (error != 0 && error != ETIMEDOUT)
        stress_fail("an unknown error", g);
    __atomic_fetch_add(error ? &timed_out : &granted, 1, __ATOMIC_RELAXED);
    return error == 0;
}

static void body(struct worker *me)
{
    do {
        struct guarded *g = &locks[draw(me, 8) == 0];

        did_a_turn(me);
        if (!take(me, g))
            continue;
        use(g);
        if (draw(me, 4) == 0)
            burn(draw(me, 40000));
        if (draw(me, 32) == 0)
            sleep_us(draw(me, 100));
        if (draw(me, 3) == 0)
            fw_mutex_unlock_fair(&g->lock);
        else
            fw_mutex_unlock(&g->lock);
    } while (!stress_is_over());
}

int main(int argc, char **argv)
{
    stress.about = "Time-outs that race with wakes";
    stress.threads = 8;
    stress.seconds = 2.5;
    stress.locks = locks;
    stress.n_locks = N_LOCKS;
    stress_begin(argc, argv);
    stress_run(stress.threads, body);
    printf("%llu granted, %llu timed out\n", (unsigned long long)granted,
           (unsigned long long)timed_out);
    return stress_end();
}
