/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "atomicmix.h"
#include "measure/clock.h"
#include "measure/rng.h"
#include "measure/stats.h"
#include "measure/workers.h"

enum {
    SAMPLES = 9,        /* of a run alone; their median counts */
    SAMPLE_NS = 100000, /* long against a clock reading, short against a time slice */
    FIRST_CALLS = 64,   /* how long a call takes is found by doubling these */
    BATCH = 16,         /* calls between two looks at the clock */
    WARM_NS = 1000000,  /* until all threads are under way */
    SLOTS_LEAST = 1024, /* points for objects far apart: a power of two */
    NS_PER_S = 1000000000
};

/* Where objects are put; kept for all runs, so that its pages are there. */
struct buffer {
    char *bytes;
    size_t size;
};

static struct buffer buffer;

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static bool buffer_reserve(size_t size)
{
    if (buffer.size >= size)
        return true;
    free(buffer.bytes);
    buffer.size = 0;
    buffer.bytes = aligned_alloc(SIZE_MAX_BYTES, round_up(size, SIZE_MAX_BYTES));
    if (buffer.bytes == NULL)
        return false;
    buffer.size = size;
    memset(buffer.bytes, 0, size);
    return true;
}

/* --- Where the objects are -------------------------------------------------------------------- */

/*
 * In each repetition the objects are elsewhere, and at the same addresses for all rivals: which
 * lines and locks they share with anything else is a matter of chance, which ends in the spread.
 */
struct layout {
    char *first;
    size_t slot, slots; /* far apart: bytes of one, and how many */
    size_t start, step;
};

static bool lay_out(struct layout *l, const struct test *t, unsigned turn)
{
    size_t bytes = t->where == NEIGHBOURS ? t->size * t->threads : t->size;
    struct rng rng;

    rng_seed(&rng, turn);
    l->slot = round_up(bytes + t->offset, LINE_PAIR) + LINE_PAIR;
    l->slots = SLOTS_LEAST;
    while (l->slots < 4 * (size_t)t->threads)
        l->slots *= 2;
    l->start = (size_t)rng_next(&rng) % l->slots;
    l->step = (size_t)rng_next(&rng) % l->slots | 1; /* odd: meets each slot once */
    if (!buffer_reserve(l->slots * l->slot))
        return false;
    l->first = buffer.bytes;
    return true;
}

static void *object_of(const struct layout *l, const struct test *t, unsigned thread)
{
    size_t slot = l->start + (t->where == FAR_APART ? thread * l->step : 0);
    size_t within = t->where == NEIGHBOURS ? thread * t->size : 0;

    return l->first + slot % l->slots * l->slot + within + t->offset;
}

/* --- Alone ------------------------------------------------------------------------------------ */

static double time_loop(struct actor *a, unsigned calls)
{
    uint64_t began = clock_ns();

    a->loop(a, calls);
    return (double)(clock_ns() - began);
}

static double alone(struct actor *a)
{
    double samples[SAMPLES], took;
    unsigned calls = FIRST_CALLS;

    while ((took = time_loop(a, calls)) < SAMPLE_NS / 4.0)
        calls *= 2;
    calls = (unsigned)((double)calls * SAMPLE_NS / took) + 1;
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = time_loop(a, calls) / calls;
    return stats_median(samples, SAMPLES);
}

/* --- Together --------------------------------------------------------------------------------- */

struct group {
    struct actor *actors;
    unsigned n;
    alignas(LINE_PAIR) bool is_over;
};

static void act(unsigned me, void *group)
{
    struct group *c = group;
    struct actor *a = &c->actors[me];
    uint64_t done = 0;

    while (!__atomic_load_n(&c->is_over, __ATOMIC_RELAXED)) {
        a->loop(a, BATCH);
        done += BATCH;
        __atomic_store_n(&a->done, done, __ATOMIC_RELAXED);
    }
}

/* What all have done, and when that was. */
static double look(const struct group *c, double *at_ns)
{
    double done = 0;

    for (unsigned i = 0; i < c->n; i++)
        done += (double)__atomic_load_n(&c->actors[i].done, __ATOMIC_RELAXED);
    *at_ns = (double)clock_ns();
    return done;
}

/*
 * Seconds per call of all threads together; negative, with errno: they cannot be started.
 *
 * Counted between two looks from outside.  A thread's own clock would start when it is first given
 * a CPU, and so leave out the time that it waited for one.
 */
static double together(struct group *c, const struct test *t, struct tally *did, double *calls)
{
    struct tally before;
    struct worker_group *group = workers_start(c->n, WORKER_THREADS | WORKER_PINNED, act, c);
    double began, ended, first, last;

    if (group == NULL)
        return -1;
    workers_go(group);
    clock_sleep_ns(WARM_NS);
    tally_read(&before);
    first = look(c, &began);
    do {
        clock_sleep_ns(t->run_ns);
        last = look(c, &ended);
    } while (last == first); /* all were stopped for that time */
    *did = tally_since(&before);
    __atomic_store_n(&c->is_over, true, __ATOMIC_RELAXED);
    workers_join(group);
    *calls = last - first;
    return (ended - began) / *calls / NS_PER_S;
}

/* --- Both ------------------------------------------------------------------------------------- */

static bool run_group(struct group *c, const struct test *t, struct bench_entry *entry,
                      struct bench_run *out)
{
    struct tally did;
    double calls;

    if (t->threads == 0) {
        *out = (struct bench_run){.seconds = alone(&c->actors[0]) / NS_PER_S};
        return true;
    }
    out->seconds = together(c, t, &did, &calls);
    if (out->seconds < 0) {
        bench_warn("cannot start %u threads: %s", c->n, strerror(errno));
        return false;
    }
    tally_share(&did, calls, entry, out);
    return true;
}

bool test_run(struct bench_point *point, struct bench_entry *entry, struct bench_run *out)
{
    struct test *t = (struct test *)point->detail;
    const struct rival *rival = (const void *)entry->lock;
    size_t which = (size_t)(entry - point->entries);
    struct group c = {.n = t->threads > 0 ? t->threads : 1};
    struct layout l;

    c.actors = aligned_alloc(LINE_PAIR, c.n * sizeof *c.actors);
    if (c.actors == NULL || !lay_out(&l, t, t->turns[which]++)) {
        bench_warn("no memory for %u threads", c.n);
        free(c.actors);
        return false;
    }
    for (unsigned i = 0; i < c.n; i++) {
        void *object = object_of(&l, t, i);
        memset(object, 0, t->size);
        actor_init(&c.actors[i], t, rival->library, object, i);
    }
    bool good = run_group(&c, t, entry, out);
    for (unsigned i = 0; i < c.n; i++) {
        t->tried[which] += c.actors[i].tried;
        t->succeeded[which] += c.actors[i].succeeded;
    }
    free(c.actors);
    return good;
}
