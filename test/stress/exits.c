/* SPDX-License-Identifier: MIT */
#include "stress.h"

#include <stdlib.h>

/*
 * Threads that end while others wait: right after their release, in the middle of a queue, and with
 * a thread-specific destructor that uses the lock once more.
 */

enum { N_LOCKS = 2 };

static struct guarded locks[N_LOCKS];
static pthread_key_t at_exit;

static void turn(struct guarded *g, unsigned how)
{
    if (how % 3 == 0) {
        fw_deadline soon = in_ns(how * 1000);

        if (fw_mutex_timedlock(&g->lock, &soon) != 0)
            return;
    } else {
        fw_mutex_lock(&g->lock);
    }
    use(g);
    if (how % 2)
        fw_mutex_unlock(&g->lock);
    else
        fw_mutex_unlock_fair(&g->lock);
}

static void last_words(void *arg)
{
    turn(arg, 1);
}

static void *mayfly(void *arg)
{
    unsigned how = (unsigned)(uintptr_t)arg;
    struct guarded *g = &locks[how % N_LOCKS];

    if (how & 8)
        pthread_setspecific(at_exit, &locks[(how >> 4) % N_LOCKS]);
    turn(g, how >> 5);
    return NULL;
}

/* Every worker raises mayflies, a few at a time, and uses the locks itself meanwhile. */
static void body(struct worker *me)
{
    pthread_t young[4];

    do {
        for (int i = 0; i < 4; i++)
            if (pthread_create(&young[i], NULL, mayfly, (void *)(uintptr_t)draw(me, 1024)) != 0)
                stress_fail("no thread can be started", NULL);
        for (int i = 0; i < 8; i++)
            turn(&locks[draw(me, N_LOCKS)], draw(me, 100));
        for (int i = 0; i < 4; i++)
            pthread_join(young[i], NULL);
        did_a_turn(me);
    } while (!stress_is_over());
}

int main(int argc, char **argv)
{
    stress.about = "Threads that end while others wait for what they held";
    stress.threads = 3;
    stress.locks = locks;
    stress.n_locks = N_LOCKS;
    stress_begin(argc, argv);
    if (pthread_key_create(&at_exit, last_words) != 0)
        return EXIT_FAILURE;
    stress_run(stress.threads, body);
    return stress_end();
}
