/* SPDX-License-Identifier: MIT */
/* A thread that waits for a blocking lock uses no CPU: it sleeps, and stays asleep. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "contract.h"
#include "measure/watchdog.h"
#include "test/support/asleep.h"

enum { HELD_NS = 250 * MS, MUCH_NS = HELD_NS / 4, FEW_SWITCHES = 100, LOOKS = 100 };

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
    atomic_int thread;
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

    atomic_store(&s->thread, (int)syscall(SYS_gettid));
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
 * Once it sleeps: how often, of so many looks at it, it was about to run.  That does not depend on
 * what the machine does beside: one that polls is ready to run all the time, also where it gets
 * little of it.
 */
static unsigned found_awake(struct sleeper *s)
{
    uint64_t began = clock_ns();
    unsigned n = 0, awake = 0;
    pid_t thread;

    while ((thread = atomic_load(&s->thread)) == 0 || !is_asleep(thread))
        usleep(1000);
    for (; n < LOOKS || clock_ns() - began < HELD_NS; n++) {
        awake += !is_asleep(thread);
        usleep(1000);
    }
    return awake * LOOKS / n;
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
    unsigned awake;
    pthread_t thread;

    watchdog_start(patience, "a waiter sleeps", s.lock, subject->size, NULL, NULL);
    hold_(s.lock);
    assert_int_equal(pthread_create(&thread, NULL, sleep_on, &s), 0);
    awake = found_awake(&s);
    release(s.lock);
    pthread_join(thread, NULL);
    watchdog_stop();
    assert_in_range(awake, 0, LOOKS / 2);
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
