/* SPDX-License-Identifier: MIT */
/* Who waits for a blocking lock uses no processor: it sleeps, and stays asleep. */
#include <pthread.h>
#include <sys/resource.h>

#include "contract.h"
#include "watchdog.h"

enum { HELD_NS = 100 * MS, FEW_SWITCHES = 60 };

struct sleeper {
    void *lock;
    void (*ask)(void *lock);
    void (*leave)(void *lock);
    uint64_t cpu_ns;
    long switches;
};

static void *sleep_on(void *arg)
{
    struct sleeper *s = arg;
    struct rusage before, after;

    getrusage(RUSAGE_THREAD, &before);
    uint64_t cpu = clock_thread_cpu_ns();

    s->ask(s->lock);
    s->cpu_ns = clock_thread_cpu_ns() - cpu;
    getrusage(RUSAGE_THREAD, &after);
    s->switches = after.ru_nvcsw - before.ru_nvcsw + after.ru_nivcsw - before.ru_nivcsw;
    s->leave(s->lock);
    return NULL;
}

/*
 * The bounds are not about speed: one that polls all the time uses all of the time, and one that
 * sleeps a little at a time, or yields to others that are busy, switches once each time.
 */
void check_idle(void (*hold_)(void *), void (*release)(void *), void (*ask)(void *),
                void (*leave)(void *))
{
    struct sleeper s = {.lock = lock_make(false), .ask = ask, .leave = leave};
    pthread_t thread;

    watchdog_start(patience, "a waiter sleeps", s.lock, subject->size, NULL, NULL);
    hold_(s.lock);
    assert_int_equal(pthread_create(&thread, NULL, sleep_on, &s), 0);
    clock_sleep_ns(HELD_NS);
    release(s.lock);
    pthread_join(thread, NULL);
    watchdog_stop();
    assert_in_range(s.cpu_ns, 0, HELD_NS / 4);
    assert_in_range(s.switches, 0, FEW_SWITCHES);
    lock_unmake(s.lock);
}

static void test_a_waiter_sleeps(void **state)
{
    (void)state;
    check_idle(subject->lock, subject->unlock, subject->lock, subject->unlock);
}

static int run(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_waiter_sleeps)};
    return cmocka_run_group_tests_name("idle", tests, NULL, NULL);
}

const struct contract_group group_idle = {"idle", &family_locks, blocks, run};
