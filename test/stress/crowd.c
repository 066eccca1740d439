/* SPDX-License-Identifier: MIT */
#include "stress.h"

/* A thousand threads on one lock: everyone gets it, and nobody is forgotten asleep. */

static struct guarded one;

static void body(struct worker *me)
{
    do {
        fw_mutex_lock(&one.lock);
        use(&one);
        if (draw(me, 16) == 0)
            sleep_us(draw(me, 50)); /* meanwhile a queue forms */
        if (draw(me, 4) == 0)
            fw_mutex_unlock_fair(&one.lock);
        else
            fw_mutex_unlock(&one.lock);
        did_a_turn(me);
    } while (!stress_is_over());
}

int main(int argc, char **argv)
{
    stress.about = "A thousand threads on one lock";
    stress.threads = 1000;
    stress.locks = &one;
    stress.n_locks = 1;
    stress_begin(argc, argv);
    stress_run(stress.threads, body);
    return stress_end();
}
