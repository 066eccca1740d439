/* SPDX-License-Identifier: MIT */
/* A thread that waits for a blocking lock uses no CPU: it sleeps, and stays asleep. */
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include "contract.h"
#include "measure/watchdog.h"

enum { HELD_NS = 250 * MS, MUCH_NS = HELD_NS / 4, FEW_SWITCHES = 100 };

/* One more for each of these: where the kernel marks no deaths, a waiter re-checks every 40 ms. */
enum { NS_PER_SWITCH = 20 * MS };

/* What a thread has had of the CPUs. */
struct use {
    uint64_t cpu_ns;
    long switches;
};

struct sleeper {
    void *lock;
    void (*ask)(void *lock);
    void (*leave)(void *lock);
    struct use use; /* while it asked */
};

static struct use use_since(struct use before)
{
    struct rusage r;

    getrusage(RUSAGE_THREAD, &r);
    return (struct use){.cpu_ns = clock_thread_cpu_ns() - before.cpu_ns,
                        .switches = r.ru_nvcsw + r.ru_nivcsw - before.switches};
}

static struct use use_so_far(void)
{
    return use_since((struct use){0});
}

static void *sleep_on(void *arg)
{
    struct sleeper *s = arg;
    struct use before = use_so_far();

    s->ask(s->lock);
    s->use = use_since(before);
    s->leave(s->lock);
    return NULL;
}

/* How often a waiter that sleeps may have been switched in this time. */
static long few_switches(uint64_t ns)
{
    return FEW_SWITCHES + (long)(ns / NS_PER_SWITCH);
}

/*
 * Polls, for as long as it takes for that to be found out twice over: where the machine is busy,
 * one that polls gets only little of the time.
 */
static void poll_for_long(void)
{
    uint64_t began = clock_ns(), ns;
    struct use before = use_so_far(), use;

    do {
        sched_yield();
        use = use_since(before);
        ns = clock_ns() - began;
    } while (ns < HELD_NS || (use.cpu_ns < 2 * MUCH_NS && use.switches < 2 * few_switches(ns)));
}

/*
 * The bounds are not about speed: one that polls all the time uses all of the time, and one that
 * sleeps a little at a time, or yields to others that are busy, switches once each time.
 */
void check_idle(void (*hold_)(void *), void (*release)(void *), void (*ask)(void *),
                void (*leave)(void *))
{
    struct sleeper s = {.lock = lock_make(false), .ask = ask, .leave = leave};
    uint64_t began = clock_ns();
    pthread_t thread;

    watchdog_start(patience, "a waiter sleeps", s.lock, subject->size, NULL, NULL);
    hold_(s.lock);
    assert_int_equal(pthread_create(&thread, NULL, sleep_on, &s), 0);
    poll_for_long();
    release(s.lock);
    pthread_join(thread, NULL);
    watchdog_stop();
    assert_in_range(s.use.cpu_ns, 0, MUCH_NS);
    assert_in_range(s.use.switches, 0, few_switches(clock_ns() - began));
    lock_unmake(s.lock);
}

TEST(test_a_waiter_sleeps)
{
    check_idle(subject->lock, subject->unlock, subject->lock, subject->unlock);
}

const struct contract_group group_idle = {"idle", &family_locks, blocks,
                                          TESTS(cmocka_unit_test(test_a_waiter_sleeps))};
