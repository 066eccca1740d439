/* SPDX-License-Identifier: MIT */
#include "stress.h"

#include <errno.h>
#include <signal.h>

/*
 * A storm of signals that hits threads while they wait for a lock, hold it, take it and release it.
 * The handler takes, without waiting, the lock that its thread may be busy with, and another.
 */

enum { N_LOCKS = 3, IN_HANDLERS_ONLY = 2 };

static struct guarded locks[N_LOCKS];
static uint64_t handled, taken_by_handlers;
static pthread_t targets[64];
static unsigned n_targets;

static void handler(int signal)
{
    int saved_errno = errno;

    (void)signal;
    for (int i = 0; i < N_LOCKS; i++) {
        if (fw_mutex_trylock(&locks[i].lock) != 0)
            continue;
        use(&locks[i]);
        fw_mutex_unlock(&locks[i].lock);
        __atomic_fetch_add(&taken_by_handlers, 1, __ATOMIC_RELAXED);
    }
    __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
    errno = saved_errno;
}

static void storm(struct worker *me)
{
    unsigned n;

    while (!stress_is_over()) {
        n = __atomic_load_n(&n_targets, __ATOMIC_ACQUIRE);
        for (unsigned i = 0; i < n; i++)
            pthread_kill(targets[i], draw(me, 2) ? SIGUSR1 : SIGUSR2);
        if (__atomic_load_n(&taken_by_handlers, __ATOMIC_RELAXED) != 0)
            did_a_turn(me); /* it does not end before that */
        sleep_us(50);
    }
}

/* Worker 0 makes the storm; the others are hit by it, also while they end. */
static void body(struct worker *me)
{
    if (me->index == 0) {
        storm(me);
        return;
    }
    targets[me->index - 1] = pthread_self();
    while (me->index - 1 != __atomic_load_n(&n_targets, __ATOMIC_ACQUIRE))
        sleep_us(100);
    __atomic_store_n(&n_targets, me->index, __ATOMIC_RELEASE);
    do {
        struct guarded *g = &locks[draw(me, IN_HANDLERS_ONLY)];

        fw_mutex_lock(&g->lock);
        use(g);
        if (draw(me, 16) == 0)
            burn(draw(me, 30000));
        if (draw(me, 256) == 0)
            sleep_us(100);
        if (draw(me, 4) == 0)
            fw_mutex_unlock_fair(&g->lock);
        else
            fw_mutex_unlock(&g->lock);
        did_a_turn(me);
    } while (!stress_is_over());
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

    stress.about = "A storm of signals on threads that use locks";
    stress.threads = 5;
    stress.locks = locks;
    stress.n_locks = N_LOCKS;
    stress_begin(argc, argv);
    if (stress.threads > 64)
        stress.threads = 64;
    sigaction(SIGUSR1, &action, NULL);
    action.sa_flags = 0;
    sigaction(SIGUSR2, &action, NULL);
    stress_run(1 + stress.threads, body);
    if (handled == 0 || taken_by_handlers == 0)
        stress_fail("no signal was handled", NULL);
    return stress_end();
}
