/* SPDX-License-Identifier: MIT */
#include "stress.h"

/*
 * Bursts of contention between quiet phases, so that the lock changes again and again between plain
 * and atomic releases, and waiters come at every moment of a plain one.
 */

static struct guarded one;

/* Worker 0 uses the lock all the time; the others come, stay for a few turns, and sleep. */
static void body(struct worker *me)
{
    do {
        unsigned turns = me->index == 0 ? 5000 : draw(me, 3) ? 1 : 1 + draw(me, 100);

        while (turns-- > 0) {
            fw_mutex_lock(&one.lock);
            use(&one);
            if (draw(me, 8) == 0)
                fw_mutex_unlock_fair(&one.lock);
            else
                fw_mutex_unlock(&one.lock);
        }
        did_a_turn(me);
        if (me->index != 0)
            sleep_us(draw(me, 10) ? draw(me, 300) : 3000);
    } while (!stress_is_over());
}

int main(int argc, char **argv)
{
    stress.about = "Changes between plain and atomic releases";
    stress.threads = 3;
    stress.seconds = 2.5;
    stress.locks = &one;
    stress.n_locks = 1;
    stress_begin(argc, argv);
    stress_run(stress.threads, body);
    return stress_end();
}
