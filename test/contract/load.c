/* SPDX-License-Identifier: MIT */
/* Tasks that read and write the same data under a lock: what most groups do, in their ways. */
#include <sched.h>

#include "contract.h"

enum { CELLS = 16, DEADLINE_NS = 80000, YIELD_EACH = 64 };

/* The data under the lock: plain on purpose, so that a missing order shows (to sanitizers too). */
struct work {
    const struct load *load;
    void *lock;
    pthread_barrier_t meet;
    uint64_t cells[CELLS]; /* all equal, but while somebody writes */
    uint64_t written;
    unsigned inside;         /* writers */
    uint64_t entries, wrote; /* counted by the tasks themselves */
    unsigned torn, intruders;
};

/* Every second task tries, or all but the first have deadlines.  False: it has given up. */
static bool get(const struct work *w, struct mode mode, unsigned index, struct rng *random)
{
    struct timespec at;

    if (w->load->how == LOAD_TIMES && index != 0) {
        at = clock_in_ns(rng_below(random, DEADLINE_NS));
        return mode.timedlock(w->lock, &at) == 0;
    }
    if (w->load->how != LOAD_TRIES || index % 2 == 0)
        mode.lock(w->lock);
    else
        while (mode.trylock(w->lock) != 0)
            sched_yield();
    return true;
}

/* What one does with it in the middle: lets the others run into a held lock. */
static void stay(const struct work *w, unsigned round, struct rng *random)
{
    if (w->load->hold_ns != 0)
        hold(random, w->load->hold_ns);
    else if (w->load->how == LOAD_LOCKS && round % YIELD_EACH == 0 && subject_is(ADAPTER_BLOCKS))
        sched_yield();
}

static unsigned read_cells(const struct work *w)
{
    unsigned torn = 0;

    for (int c = 1; c < CELLS; c++)
        torn += w->cells[c] != w->cells[0];
    return torn;
}

static void write_cells(struct work *w, uint64_t value, unsigned round, struct rng *random)
{
    w->intruders += w->inside != 0;
    w->inside = 1;
    for (int c = CELLS - 1; c >= 0; c--) {
        if (c == CELLS / 2)
            stay(w, round, random);
        w->cells[c] = value;
    }
    w->written++;
    w->inside = 0;
}

static void take_turns(unsigned index, void *arg)
{
    struct work *w = arg;
    const struct load *l = w->load;
    uint64_t entries = 0, wrote = 0;
    unsigned torn = 0;
    struct rng random;

    rng_seed(&random, index);
    for (unsigned i = 0; i < l->rounds; i++) {
        bool writes = rng_below(&random, 16) >= l->reads;
        struct mode mode = writes ? l->writing : l->reading;

        if (l->meet_ns != 0) {
            pthread_barrier_wait(&w->meet);
            work_ns(rng_below(&random, l->meet_ns));
        }
        if (!get(w, mode, index, &random))
            continue;
        entries++;
        wrote += writes;
        torn += read_cells(w);
        if (writes)
            write_cells(w, (uint64_t)index << 32 | i, i, &random);
        else
            stay(w, i, &random);
        mode.unlock(w->lock);
    }
    __atomic_fetch_add(&w->entries, entries, __ATOMIC_RELAXED);
    __atomic_fetch_add(&w->wrote, wrote, __ATOMIC_RELAXED);
    __atomic_fetch_add(&w->torn, torn, __ATOMIC_RELAXED);
}

void load_run(const char *what, const struct load *l)
{
    struct work *w = shared_make(sizeof *w);

    work_calibrate();
    meeting_make(&w->meet, l->tasks);
    w->load = l;
    w->lock = lock_make((l->kind & WORKER_PROCESSES) != 0);
    tasks_run(l->tasks, l->kind, what, w->lock, take_turns, w);
    assert_int_equal(w->torn, 0);
    assert_int_equal(w->intruders, 0);
    assert_int_equal(w->written, w->wrote);
    if (l->how != LOAD_TIMES)
        assert_int_equal(w->entries, (uint64_t)l->tasks * l->rounds);
    if (l->how == LOAD_TIMES) /* and in the end the lock is free */
        assert_int_equal(answer_in_time(w->lock, l->writing, 0), 0);
    if (l->how == LOAD_TIMES && l->reading.timedlock != NULL)
        assert_int_equal(answer_in_time(w->lock, l->reading, 0), 0);
    pthread_barrier_destroy(&w->meet);
    lock_unmake(w->lock);
    shared_unmake(w, sizeof *w);
}
