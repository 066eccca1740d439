/* SPDX-License-Identifier: MIT */
/* A thread that waits for a blocking lock uses no CPU: it sleeps, and stays asleep. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "contract.h"
#include "measure/watchdog.h"
#include "test/support/asleep.h"

enum { HELD_NS = 250 * MS, MUCH_NS = HELD_NS / 4, FEW_SWITCHES = 100, LOOKS = 100 };

/* One more for each of these: where the kernel marks no deaths, a waiter re-checks every 40 ms. */
enum { NS_PER_SWITCH = 20 * MS };

struct sleeper {
    void *lock;
    void (*ask)(void *lock);
    void (*leave)(void *lock);
    atomic_int thread;
    uint64_t cpu_ns; /* that it used while it asked */
};

/* What was seen of it. */
struct seen {
    unsigned awake;
    unsigned long switches;
};

static void *sleep_on(void *arg)
{
    struct sleeper *s = arg;
    uint64_t before = clock_thread_cpu_ns();

    atomic_store(&s->thread, (int)syscall(SYS_gettid));
    s->ask(s->lock);
    s->cpu_ns = clock_thread_cpu_ns() - before;
    s->leave(s->lock);
    return NULL;
}

/* How often a waiter that sleeps may have been switched in this time. */
static unsigned long few_switches(uint64_t ns)
{
    return FEW_SWITCHES + (unsigned long)(ns / NS_PER_SWITCH);
}

/*
 * It sleeps, and still did when it was looked at again; or it had time for that.  What it sleeps
 * for before, with nothing done in between, may be a lock of an emulator's translator.
 */
static void wait_until_it_rests(pid_t thread)
{
    uint64_t began = clock_ns();
    unsigned long switches = 0, before;

    do {
        before = switches;
        usleep(1000);
        switches = thread_switches(getpid(), thread);
    } while ((!is_asleep(thread) || switches != before) && clock_ns() - began < HELD_NS);
}

/*
 * From then on: how often, of all looks at it, it was about to run.  That does not depend on
 * what the machine does beside: one that polls is ready to run all the time, also where it gets
 * little of it.  And how often it was switched.
 */
static struct seen look_at(struct sleeper *s)
{
    struct seen seen = {0};
    unsigned n = 0;
    uint64_t began;
    pid_t thread;

    while ((thread = atomic_load(&s->thread)) == 0 || !is_asleep(thread))
        usleep(1000);
    wait_until_it_rests(thread);
    seen.switches = thread_switches(getpid(), thread);
    began = clock_ns();
    for (; n < LOOKS || clock_ns() - began < HELD_NS; n++) {
        seen.awake += !is_asleep(thread);
        usleep(1000);
    }
    seen.awake = seen.awake * LOOKS / n;
    seen.switches = thread_switches(getpid(), thread) - seen.switches;
    return seen;
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
    struct seen seen;
    pthread_t thread;

    watchdog_start(patience, "a waiter sleeps", s.lock, subject->size, NULL, NULL);
    hold_(s.lock);
    assert_int_equal(pthread_create(&thread, NULL, sleep_on, &s), 0);
    seen = look_at(&s);
    release(s.lock);
    pthread_join(thread, NULL);
    watchdog_stop();
    assert_in_range(seen.awake, 0, LOOKS / 2);
    assert_in_range(s.cpu_ns, 0, MUCH_NS);
    assert_in_range(seen.switches, 0, few_switches(clock_ns() - began));
    lock_unmake(s.lock);
}

TEST(test_a_waiter_sleeps)
{
    check_idle(subject->lock, subject->unlock, subject->lock, subject->unlock);
}

const struct contract_group group_idle = {"idle", &family_locks, blocks,
                                          TESTS(cmocka_unit_test(test_a_waiter_sleeps))};
