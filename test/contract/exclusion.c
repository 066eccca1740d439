/* SPDX-License-Identifier: MIT */
/* One holder at a time, and what it did is seen by the next. */
#include <sched.h>

#include "contract.h"

enum { LOCKS_HELD = 8, CELLS = 16 };

/* The data under the lock: plain on purpose, so that a missing order shows (to sanitizers too). */
struct work {
    void *lock;
    unsigned rounds;
    uint64_t count;
    unsigned inside;
    unsigned intruders;
    uint64_t cells[CELLS];
    unsigned torn;
};

static void count_up(unsigned index, void *arg)
{
    struct work *w = arg;

    for (unsigned i = 0; i < w->rounds; i++) {
        subject->lock(w->lock);
        w->intruders += w->inside != 0;
        w->inside = 1;
        w->count++;
        if (i % 64 == index && subject_is(ADAPTER_BLOCKS))
            sched_yield(); /* lets the others run into a held lock */
        w->inside = 0;
        subject->unlock(w->lock);
    }
}

static void check_counting(unsigned tasks, unsigned kind, const char *what)
{
    struct work *w = shared_make(sizeof *w);

    w->lock = lock_make((kind & WORKER_PROCESSES) != 0);
    w->rounds = kind_rounds(50000);
    tasks_run(tasks, kind, what, w->lock, count_up, w);
    assert_int_equal(w->intruders, 0);
    assert_int_equal(w->count, (uint64_t)tasks * w->rounds);
    lock_unmake(w->lock);
    shared_unmake(w, sizeof *w);
}

TEST(test_threads_exclude_each_other)
{
    check_counting(kind_tasks(2), WORKER_THREADS, "two threads count");
    check_counting(kind_tasks(5), WORKER_THREADS, "five threads count");
}

TEST(test_processes_exclude_each_other)
{
    if (!subject_is(ADAPTER_SHARED))
        skip();
    check_counting(kind_tasks(2), WORKER_PROCESSES, "two processes count");
    check_counting(kind_tasks(4), WORKER_PROCESSES, "four processes count");
}

/* Each holder sees all cells equal, and writes them all anew. */
static void write_cells(unsigned index, void *arg)
{
    struct work *w = arg;

    for (unsigned i = 0; i < w->rounds; i++) {
        uint64_t mine = (uint64_t)index << 32 | i;
        subject->lock(w->lock);
        for (int c = 1; c < CELLS; c++)
            w->torn += w->cells[c] != w->cells[0];
        for (int c = CELLS - 1; c >= 0; c--)
            w->cells[c] = mine;
        subject->unlock(w->lock);
    }
}

TEST(test_a_holder_sees_what_the_last_one_wrote)
{
    struct work *w = shared_make(sizeof *w);

    w->lock = lock_make(false);
    w->rounds = kind_rounds(50000);
    tasks_run(kind_tasks(3), WORKER_THREADS, "threads write cells", w->lock, write_cells, w);
    assert_int_equal(w->torn, 0);
    lock_unmake(w->lock);
    shared_unmake(w, sizeof *w);
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
          cmocka_unit_test(test_a_holder_sees_what_the_last_one_wrote),
          cmocka_unit_test(test_many_locks_are_held_at_a_time)),
    .between_processes = TEST_LIST(cmocka_unit_test(test_processes_exclude_each_other))};
