/* SPDX-License-Identifier: MIT */
/*
 * No wake-up is lost.  Contention that goes on hides a lost wake: the next release repairs it.
 * So the tasks meet before each round, and in a round each takes the lock once: a waiter that
 * nobody wakes stays asleep, the others wait for it at the barrier, and the watchdog barks.
 */
#include <pthread.h>
#include <sched.h>

#include "contract.h"

enum { RING = 4 };

struct rounds {
    void *lock;
    pthread_barrier_t meet;
    unsigned n;
    unsigned spread_ns; /* arrivals and holds are spread over so much time */
    uint64_t count;
    unsigned turn;
};

static struct rounds *rounds_make(unsigned tasks, unsigned n, unsigned spread_ns, bool shared)
{
    struct rounds *r = shared_make(sizeof *r);

    meeting_make(&r->meet, tasks);
    r->lock = lock_make(shared);
    r->n = n;
    r->spread_ns = spread_ns;
    work_calibrate();
    return r;
}

static void rounds_unmake(struct rounds *r)
{
    pthread_barrier_destroy(&r->meet);
    lock_unmake(r->lock);
    shared_unmake(r, sizeof *r);
}

static void once_each_round(unsigned index, void *arg)
{
    struct rounds *r = arg;
    struct rng random;

    rng_seed(&random, index);
    for (unsigned i = 0; i < r->n; i++) {
        pthread_barrier_wait(&r->meet);
        work_ns(rng_below(&random, r->spread_ns));
        subject->lock(r->lock);
        hold(&random, r->spread_ns);
        r->count++;
        subject->unlock(r->lock);
    }
}

static void check_rounds(unsigned tasks, unsigned n, unsigned spread_ns, unsigned kind)
{
    struct rounds *r = rounds_make(tasks, n, spread_ns, (kind & WORKER_PROCESSES) != 0);

    tasks_run(tasks, kind, "each takes the lock once per round", r->lock, once_each_round, r);
    assert_int_equal(r->count, (uint64_t)tasks * n);
    rounds_unmake(r);
}

TEST(test_two_threads_meet)
{
    check_rounds(2, kind_rounds(4000), 400, WORKER_THREADS);
    check_rounds(2, kind_rounds(4000), 10000, WORKER_THREADS);
}

TEST(test_some_threads_meet)
{
    check_rounds(kind_tasks(3), kind_rounds(2000), 6000, WORKER_THREADS);
    check_rounds(kind_tasks(6), kind_rounds(1000), 20000, WORKER_THREADS);
}

TEST(test_many_threads_meet)
{
    check_rounds(kind_tasks(100), kind_rounds(40), 2000, WORKER_THREADS);
}

TEST(test_processes_meet)
{
    if (!subject_is(ADAPTER_SHARED))
        skip();
    check_rounds(2, kind_rounds(2000), 6000, WORKER_PROCESSES);
    check_rounds(kind_tasks(5), kind_rounds(1000), 10000, WORKER_PROCESSES);
}

/* A token goes round: everyone looks for it under the lock, and waits outside. */
static void pass_token(unsigned index, void *arg)
{
    struct rounds *r = arg;
    unsigned tasks = (unsigned)r->count;

    for (unsigned passed = 0; passed < r->n;) {
        subject->lock(r->lock);
        bool mine = r->turn % tasks == index;
        if (mine) {
            r->turn++;
            passed++;
        }
        subject->unlock(r->lock);
        if (!mine)
            sched_yield();
    }
}

TEST(test_a_token_goes_round)
{
    unsigned tasks = kind_tasks(RING);
    struct rounds *r = rounds_make(tasks, kind_rounds(400), 0, false);

    r->count = tasks;
    tasks_run(tasks, WORKER_THREADS, "a token goes round", r->lock, pass_token, r);
    assert_int_equal(r->turn, tasks * r->n);
    rounds_unmake(r);
}

const struct contract_group group_wakeup = {
    "wakeup", &family_locks, always,
    TESTS(cmocka_unit_test(test_two_threads_meet), cmocka_unit_test(test_some_threads_meet),
          cmocka_unit_test(test_many_threads_meet), cmocka_unit_test(test_processes_meet),
          cmocka_unit_test(test_a_token_goes_round)),
    .between_processes = TEST_LIST(cmocka_unit_test(test_processes_meet))};
