/* SPDX-License-Identifier: MIT */
/* Who waits for a blocking lock uses no processor: it sleeps, and stays asleep. */
#include <pthread.h>
#include <sys/resource.h>

#include "contract.h"
#include "watchdog.h"

enum { HELD_NS = 100 * MS, FEW_SWITCHES = 60 };

struct sleeper {
    void *lock;
    uint64_t cpu_ns;
    long switches;
};

static void *sleep_on(void *arg)
{
    struct sleeper *s = arg;
    struct rusage before, after;

    getrusage(RUSAGE_THREAD, &before);
    uint64_t cpu = clock_thread_cpu_ns();

    subject->lock(s->lock);
    s->cpu_ns = clock_thread_cpu_ns() - cpu;
    getrusage(RUSAGE_THREAD, &after);
    s->switches = after.ru_nvcsw - before.ru_nvcsw;
    subject->unlock(s->lock);
    return NULL;
}

/*
 * The bounds are not about speed: one that polls all the time uses all of the time, and one that
 * sleeps a little at a time switches once each time.
 */
static void test_a_waiter_sleeps(void **state)
{
    struct sleeper s = {.lock = lock_make(false)};
    pthread_t thread;

    (void)state;
    watchdog_start(patience, "a waiter sleeps", s.lock, subject->size, NULL, NULL);
    subject->lock(s.lock);
    assert_int_equal(pthread_create(&thread, NULL, sleep_on, &s), 0);
    clock_sleep_ns(HELD_NS);
    subject->unlock(s.lock);
    pthread_join(thread, NULL);
    watchdog_stop();
    assert_in_range(s.cpu_ns, 0, HELD_NS / 4);
    assert_in_range(s.switches, 0, FEW_SWITCHES);
    lock_unmake(s.lock);
}

static bool applies(const struct adapter *a)
{
    return (a->flags & ADAPTER_BLOCKS) != 0;
}

static int run(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_waiter_sleeps)};
    return cmocka_run_group_tests_name("idle", tests, NULL, NULL);
}

const struct contract_group group_idle = {"idle", applies, run};
