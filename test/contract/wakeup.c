/* SPDX-License-Identifier: MIT */
/*
 * No wake-up is lost.  Contention that goes on hides a lost wake: the next release repairs it.
 * So the tasks meet before each round, and in a round each takes the lock once: a waiter that
 * nobody wakes stays asleep, the others wait for it at the barrier, and the watchdog barks.
 */
#include <sched.h>

#include "contract.h"

enum { RING = 4 };

static void check_rounds(unsigned tasks, unsigned rounds, uint32_t spread_ns, unsigned kind)
{
    load_run("each takes the lock once per round", &(struct load){.tasks = kind_tasks(tasks),
                                                                  .kind = kind,
                                                                  .rounds = kind_rounds(rounds),
                                                                  .writing = as_lock(),
                                                                  .hold_ns = spread_ns,
                                                                  .meet_ns = spread_ns});
}

TEST(test_two_threads_meet)
{
    check_rounds(2, 4000, 400, WORKER_THREADS);
    check_rounds(2, 4000, 10000, WORKER_THREADS);
}

TEST(test_some_threads_meet)
{
    check_rounds(3, 2000, 6000, WORKER_THREADS);
    check_rounds(6, 1000, 20000, WORKER_THREADS);
}

TEST(test_many_threads_meet)
{
    check_rounds(100, 40, 2000, WORKER_THREADS);
}

TEST(test_processes_meet)
{
    if (!subject_is(ADAPTER_SHARED))
        skip();
    check_rounds(2, 2000, 6000, WORKER_PROCESSES);
    check_rounds(5, 1000, 10000, WORKER_PROCESSES);
}

/* A token goes round: everyone looks for it under the lock, and waits outside. */
struct ring {
    void *lock;
    unsigned tasks, rounds, turn;
};

static void pass_token(unsigned index, void *arg)
{
    struct ring *r = arg;

    for (unsigned passed = 0; passed < r->rounds;) {
        subject->lock(r->lock);
        bool mine = r->turn % r->tasks == index;
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
    struct ring r = {
        .lock = lock_make(false), .tasks = kind_tasks(RING), .rounds = kind_rounds(400)};

    tasks_run(r.tasks, WORKER_THREADS, "a token goes round", r.lock, pass_token, &r);
    assert_int_equal(r.turn, r.tasks * r.rounds);
    lock_unmake(r.lock);
}

const struct contract_group group_wakeup = {
    "wakeup", &family_locks, always,
    TESTS(cmocka_unit_test(test_two_threads_meet), cmocka_unit_test(test_some_threads_meet),
          cmocka_unit_test(test_many_threads_meet), cmocka_unit_test(test_processes_meet),
          cmocka_unit_test(test_a_token_goes_round)),
    .between_processes = TEST_LIST(cmocka_unit_test(test_processes_meet))};
