/* SPDX-License-Identifier: MIT */
/* One holder at a time, and what it did is seen by the next. */
#include "contract.h"

enum { LOCKS_HELD = 8 };

static void check(unsigned tasks, unsigned kind, const char *what)
{
    load_run(what, &(struct load){.tasks = kind_tasks(tasks),
                                  .kind = kind,
                                  .rounds = kind_rounds(50000),
                                  .writing = as_lock()});
}

TEST(test_threads_exclude_each_other)
{
    check(2, WORKER_THREADS, "two threads write");
    check(3, WORKER_THREADS, "three threads write");
    check(5, WORKER_THREADS, "five threads write");
}

TEST(test_processes_exclude_each_other)
{
    if (!subject_is(ADAPTER_SHARED))
        skip();
    check(2, WORKER_PROCESSES, "two processes write");
    check(4, WORKER_PROCESSES, "four processes write");
}

struct pair {
    void *locks;
    unsigned rounds;
    uint64_t counts[LOCKS_HELD];
};

/* Takes all locks, in order, and gives them back in another order. */
static void hold_many(unsigned index, void *arg)
{
    struct pair *p = arg;

    for (unsigned i = 0; i < p->rounds; i++) {
        for (size_t k = 0; k < LOCKS_HELD; k++) {
            subject->lock(adapter_at(subject, p->locks, k));
            p->counts[k]++;
        }
        for (size_t k = 0; k < LOCKS_HELD; k++)
            subject->unlock(adapter_at(subject, p->locks, (k * 3 + index) % LOCKS_HELD));
    }
}

TEST(test_many_locks_are_held_at_a_time)
{
    struct pair p = {.rounds = kind_rounds(2000)};
    unsigned tasks = kind_tasks(3);

    p.locks = adapter_make(subject, LOCKS_HELD, false);
    assert_non_null(p.locks);
    tasks_run(tasks, WORKER_THREADS, "threads hold eight locks", p.locks, hold_many, &p);
    for (int k = 0; k < LOCKS_HELD; k++)
        assert_int_equal(p.counts[k], (uint64_t)tasks * p.rounds);
    adapter_unmake(subject, p.locks, LOCKS_HELD);
}

const struct contract_group group_exclusion = {
    "exclusion", &family_locks, always,
    TESTS(cmocka_unit_test(test_threads_exclude_each_other),
          cmocka_unit_test(test_processes_exclude_each_other),
          cmocka_unit_test(test_many_locks_are_held_at_a_time)),
    .between_processes = TEST_LIST(cmocka_unit_test(test_processes_exclude_each_other))};
