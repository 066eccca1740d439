/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

/* The mutex by hazard: each a way of taking, holding and releasing the same few locks. */

enum { N_LOCKS = 3, MAX_TARGETS = 64, YOUNG = 4 };

static struct guarded locks[N_LOCKS];

/* --- many_threads: a thousand threads; everyone gets it, and nobody is forgotten asleep. ------ */

static void many_threads(struct worker *me)
{
    do {
        fw_mutex_lock(&locks[0].lock);
        use(&locks[0]);
        if (draw(me, 16) == 0)
            sleep_us(draw(me, 50)); /* meanwhile a queue forms */
        release(me, &locks[0], 4);
        did_a_turn(me);
    } while (!stress_is_over());
}

/*
 * --- modes: bursts of contention between quiet phases, so that the lock changes again and again
 * between plain and atomic releases, and waiters come at every moment of a plain one.
 * Worker 0 uses the lock all the time; the others come, stay for a few turns, and sleep.
 */

static void modes(struct worker *me)
{
    do {
        unsigned turns = me->index == 0 ? 5000 : draw(me, 3) ? 1 : 1 + draw(me, 100);

        while (turns-- > 0) {
            fw_mutex_lock(&locks[0].lock);
            use(&locks[0]);
            release(me, &locks[0], 8);
        }
        did_a_turn(me);
        if (me->index != 0)
            sleep_us(draw(me, 10) ? draw(me, 300) : 3000);
    } while (!stress_is_over());
}

/* --- policies: all of them, and both kinds of release, mixed on the same locks. --------------- */

static void policies(struct worker *me)
{
    static const fw_wait_policy all[] = {
        {FW_WAIT_BLOCK, 0}, {FW_WAIT_SPIN_THEN_BLOCK, 3000}, {FW_WAIT_SPIN, 0},
        {FW_WAIT_YIELD, 0}, {FW_WAIT_SPIN_THEN_BLOCK, 0},    {FW_WAIT_DEFAULT, 0}};
    const fw_wait_policy *mine = &all[me->index % 6];

    do {
        struct guarded *g = &locks[draw(me, 4) == 0];

        if (fw_mutex_lock_policy(&g->lock, draw(me, 8) ? mine : &all[draw(me, 6)], NULL) != 0)
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

/*
 * --- timeouts: deadlines so short that they race with wakes, hand-offs and other deadlines.
 * Whoever gives up must leave no trace: in the end the lock is free and nobody is counted.
 */

static uint64_t granted, timed_out;

static bool take_in_time(struct worker *me, struct guarded *g)
{
    fw_deadline d = in_ns((int64_t)draw(me, 120000) - 2000);
    int error;

    if (draw(me, 16) == 0) {
        fw_mutex_lock(&g->lock);
        return true;
    }
    error = fw_mutex_lock_policy(&g->lock, some_policy(me), &d);
    if (error != 0 && error != ETIMEDOUT)
        stress_fail("an unknown error", g);
    __atomic_fetch_add(error ? &timed_out : &granted, 1, __ATOMIC_RELAXED);
    return error == 0;
}

static void timeouts(struct worker *me)
{
    do {
        struct guarded *g = &locks[draw(me, 8) == 0];

        did_a_turn(me);
        if (!take_in_time(me, g))
            continue;
        use(g);
        if (draw(me, 4) == 0)
            burn(draw(me, 40000));
        if (draw(me, 32) == 0)
            sleep_us(draw(me, 100));
        release(me, g, 3);
    } while (!stress_is_over());
}

static void say_timeouts(void)
{
    printf("%llu granted, %llu timed out\n", (unsigned long long)granted,
           (unsigned long long)timed_out);
}

/*
 * --- signals: a storm of them hits threads while they wait for a lock, hold it, take it and
 * release it.  The handler takes, without waiting, the lock that its thread may be busy with, and
 * another, which is for handlers only.
 */

static uint64_t taken_by_handlers;
static pthread_t targets[MAX_TARGETS];
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
    errno = saved_errno;
}

static int handle_signals(void)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

    sigaction(SIGUSR1, &action, NULL);
    action.sa_flags = 0;
    return sigaction(SIGUSR2, &action, NULL);
}

/* It does not end before a handler has taken a lock. */
static void storm(struct worker *me)
{
    unsigned n;

    while (!stress_is_over()) {
        n = __atomic_load_n(&n_targets, __ATOMIC_ACQUIRE);
        for (unsigned i = 0; i < n; i++)
            pthread_kill(targets[i], draw(me, 2) ? SIGUSR1 : SIGUSR2);
        if (__atomic_load_n(&taken_by_handlers, __ATOMIC_RELAXED) != 0)
            did_a_turn(me);
        sleep_us(50);
    }
}

/* Worker 0 makes the storm; the others are hit by it, also while they end. */
static void signals(struct worker *me)
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
        struct guarded *g = &locks[draw(me, N_LOCKS - 1)];

        fw_mutex_lock(&g->lock);
        use(g);
        if (draw(me, 16) == 0)
            burn(draw(me, 30000));
        if (draw(me, 256) == 0)
            sleep_us(100);
        release(me, g, 4);
        did_a_turn(me);
    } while (!stress_is_over());
}

/*
 * --- exits: threads that end while others wait: right after their release, in the middle of a
 * queue, and with a thread-specific destructor that uses the lock once more.
 */

static pthread_key_t at_exit;

static void turn(struct guarded *g, unsigned how)
{
    fw_deadline soon = in_ns(how * 1000);

    if (how % 3 != 0)
        fw_mutex_lock(&g->lock);
    else if (fw_mutex_timedlock(&g->lock, &soon) != 0)
        return;
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

static int begin_exits(void)
{
    return pthread_key_create(&at_exit, last_words);
}

static void *mayfly(void *arg)
{
    unsigned how = (unsigned)(uintptr_t)arg;

    if (how & 8)
        pthread_setspecific(at_exit, &locks[(how >> 4) % 2]);
    turn(&locks[how % 2], how >> 5);
    return NULL;
}

/* Every worker raises mayflies, a few at a time, and uses the locks itself meanwhile. */
static void exits(struct worker *me)
{
    pthread_t young[YOUNG];

    do {
        for (int i = 0; i < YOUNG; i++)
            if (pthread_create(&young[i], NULL, mayfly, (void *)(uintptr_t)draw(me, 1024)) != 0)
                stress_fail("no thread can be started", NULL);
        for (int i = 0; i < 8; i++)
            turn(&locks[draw(me, 2)], draw(me, 100));
        for (int i = 0; i < YOUNG; i++)
            pthread_join(young[i], NULL);
        did_a_turn(me);
    } while (!stress_is_over());
}

#define LOCKS .locks = locks, .n_locks = N_LOCKS

const struct stress_test mutex_tests[] = {
    {"many_threads", "A thousand threads on one lock", many_threads, 10000, .threads = 1000, LOCKS},
    {"modes", "Changes between plain and atomic releases", modes, 6000, .threads = 3,
     .seconds = 2.5, LOCKS},
    {"policies", "All wait policies and both kinds of release on the same locks", policies, 6000,
     .threads = 9, LOCKS},
    {"timeouts", "Time-outs that race with wakes", timeouts, 10000, .threads = 8, .seconds = 2.5,
     .end = say_timeouts, LOCKS},
    {"signals", "A storm of signals on threads that use locks", signals, 50000, .threads = 6,
     .least_threads = 2, .most_threads = MAX_TARGETS, .begin = handle_signals, LOCKS},
    {"exits", "Threads that end while others wait for what they held", exits, 2500, .threads = 3,
     .begin = begin_exits, LOCKS},
    {0}};
