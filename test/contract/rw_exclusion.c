/* SPDX-License-Identifier: MIT */
/* A writer is alone, and readers see all that it wrote, or nothing of it. */
#include <sched.h>

#include "rw.h"

enum { CELLS = 16 };

/* The data under the lock: plain on purpose, so that a missing order shows (to sanitizers too). */
struct work {
    void *lock;
    unsigned rounds;
    unsigned share; /* of reads, in 16ths */
    uint64_t cells[CELLS];
    uint64_t written; /* under the lock */
    uint64_t wrote;   /* counted by the tasks themselves */
    unsigned torn;
};

static unsigned read_cells(struct work *w)
{
    unsigned torn = 0;

    rw_subject->rdlock(w->lock);
    uint64_t first = w->cells[0];
    for (int c = 1; c < CELLS; c++)
        torn += w->cells[c] != first;
    rw_subject->rdunlock(w->lock);
    return torn;
}

static void write_cells(struct work *w, uint64_t value, bool pause)
{
    rw_subject->wrlock(w->lock);
    for (int c = CELLS - 1; c >= 0; c--) {
        if (pause && c == CELLS / 2)
            sched_yield(); /* lets the others run into a held lock */
        w->cells[c] = value;
    }
    w->written++;
    rw_subject->wrunlock(w->lock);
}

static void read_and_write(unsigned index, void *arg)
{
    struct work *w = arg;
    struct rng random;
    uint64_t wrote = 0;
    unsigned torn = 0;

    rng_seed(&random, index);
    for (unsigned i = 0; i < w->rounds; i++) {
        if (rng_below(&random, 16) < w->share) {
            torn += read_cells(w);
        } else {
            write_cells(w, (uint64_t)index << 32 | i, i % 16 == 0 && subject_is(ADAPTER_BLOCKS));
            wrote++;
        }
    }
    __atomic_fetch_add(&w->wrote, wrote, __ATOMIC_RELAXED);
    __atomic_fetch_add(&w->torn, torn, __ATOMIC_RELAXED);
}

static void check_cells(unsigned tasks, unsigned kind, unsigned share, const char *what)
{
    struct work *w = shared_make(sizeof *w);

    w->lock = object_make((kind & WORKER_PROCESSES) != 0);
    w->rounds = kind_rounds(20000);
    w->share = share;
    tasks_run(tasks, kind, what, w->lock, read_and_write, w);
    assert_int_equal(w->torn, 0);
    assert_int_equal(w->written, w->wrote);
    object_unmake(w->lock);
    shared_unmake(w, sizeof *w);
}

TEST(test_readers_see_whole_writes)
{
    check_cells(kind_tasks(2), WORKER_THREADS, 8, "two threads read and write");
    check_cells(kind_tasks(5), WORKER_THREADS, 4, "five threads read, and mostly write");
    check_cells(kind_tasks(5), WORKER_THREADS, 15, "five threads mostly read");
}

TEST(test_processes_see_whole_writes)
{
    if (!subject_is(ADAPTER_SHARED))
        skip();
    check_cells(kind_tasks(2), WORKER_PROCESSES, 8, "two processes read and write");
    check_cells(kind_tasks(4), WORKER_PROCESSES, 12, "four processes mostly read");
}

const struct contract_group group_rw_exclusion = {
    "rw-exclusion", &family_rw, always,
    TESTS(cmocka_unit_test(test_readers_see_whole_writes),
          cmocka_unit_test(test_processes_see_whole_writes)),
    ALSO(&group_exclusion)};
