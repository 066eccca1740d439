/* SPDX-License-Identifier: MIT */
/*
 * A run: threads operate until told to stop.  The main thread reads their counters and their clocks
 * at the beginning and at the end of the time that counts.
 *
 * Some acquisitions are timed, by chance: reading the clock twice for each would take as long as
 * the section.  Counted is what begins within the time, however long it takes.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lockmix.h"
#include "measure/clock.h"
#include "measure/task_limits.h"
#include "measure/turns.h"
#include "measure/workers.h"

enum {
    TIMED_OF = 16,  /* one of that many acquisitions is timed */
    WARM_PARTS = 8, /* the first of that many parts of the duration does not count */
    MS = 1000000,   /* nanoseconds */
    S = 1000000000
};

/* --- A worker -------------------------------------------------------------------------------- */

static bool is_set(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_RELAXED);
}

static void count_up(uint64_t *counter)
{
    __atomic_store_n(counter, *counter + 1, __ATOMIC_RELAXED);
}

static uint64_t read_count(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

void enter(struct worker *w, unsigned i)
{
    const struct fixture *s = w->fixture;
    void *lock = adapter_at(s->lock, s->locks, i);

    if (w->untimed > 0) {
        w->untimed--;
        s->lock->lock(lock);
    } else {
        bool counts = is_set(&s->counts);
        uint64_t began = clock_ns();
        s->lock->lock(lock);
        if (counts)
            histogram_add(&w->waits, clock_ns() - began);
        w->untimed = rng_below(&w->random, 2 * TIMED_OF - 1);
    }
    count_up(&w->acquisitions);
}

void leave(struct worker *w, unsigned i)
{
    const struct fixture *s = w->fixture;

    s->lock->unlock(adapter_at(s->lock, s->locks, i));
}

uint32_t next_rank(struct worker *w)
{
    return w->fixture->spot->keys->drawn[w->at++ % KEYS_DRAWN];
}

uint64_t all_acquisitions(const struct fixture *s)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < s->spot->threads; i++)
        all += read_count(&s->workers[i].acquisitions);
    return all;
}

static void worker(unsigned index, void *fixture)
{
    struct fixture *s = fixture;
    struct worker *w = &s->workers[index];
    const struct spot *spot = s->spot;

    rng_seed(&w->random, spot->mix->seed + index + 1);
    w->at = rng_below(&w->random, KEYS_DRAWN);
    w->untimed = rng_below(&w->random, TIMED_OF);
    if (pthread_getcpuclockid(pthread_self(), &w->clock) == 0)
        __atomic_store_n(&w->has_clock, true, __ATOMIC_RELEASE);
    while (!is_set(&s->over)) {
        spot->mode->operate(w);
        count_up(&w->operations);
        work_do(spot->between);
    }
}

/* --- What all have done ---------------------------------------------------------------------- */

struct progress {
    struct tally tally;
    uint64_t at; /* ns */
    uint64_t cpu_ns;
    uint64_t acquisitions;
    uint64_t operations;
    uint64_t *of_each; /* operations */
};

static uint64_t cpu_of(const struct worker *w)
{
    struct timespec t;

    /* One that has not begun yet has used none. */
    if (!__atomic_load_n(&w->has_clock, __ATOMIC_ACQUIRE) || clock_gettime(w->clock, &t) != 0)
        return 0;
    return (uint64_t)t.tv_sec * S + (uint64_t)t.tv_nsec;
}

static void look(const struct fixture *s, struct progress *p)
{
    tally_read(&p->tally);
    p->at = clock_ns();
    p->cpu_ns = p->operations = 0;
    p->acquisitions = all_acquisitions(s);
    for (unsigned i = 0; i < s->spot->threads; i++) {
        p->of_each[i] = read_count(&s->workers[i].operations);
        p->operations += p->of_each[i];
        p->cpu_ns += cpu_of(&s->workers[i]);
    }
}

static int descending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x < y) - (x > y);
}

/* Sorts the operations of each. */
static void evaluate_fairness(uint64_t *of_each, unsigned n, struct gauge *g)
{
    double all = 0, busier = 0;

    qsort(of_each, n, sizeof *of_each, descending);
    for (unsigned i = 0; i < n; i++) {
        all += (double)of_each[i];
        if (i < n / 2)
            busier += (double)of_each[i];
        else if (n % 2 != 0 && i == n / 2)
            busier += (double)of_each[i] / 2;
    }
    g->half = busier / all;
    g->least = (double)of_each[n - 1] / (double)of_each[0];
}

static void evaluate_waits(const struct fixture *s, struct gauge *g)
{
    static struct histogram all;

    histogram_clear(&all);
    for (unsigned i = 0; i < s->spot->threads; i++)
        histogram_merge(&all, &s->workers[i].waits);
    g->p50 = (double)histogram_percentile(&all, 0.5);
    g->p99 = (double)histogram_percentile(&all, 0.99);
    g->p999 = (double)histogram_percentile(&all, 0.999);
    g->longest = (double)all.max;
}

/* --- A run ----------------------------------------------------------------------------------- */

double spot_warm_seconds(const struct spot *spot)
{
    double seconds = (double)spot->run_ms / THOUSAND / WARM_PARTS;

    return spot->mix->is_exact ? seconds
                               : turns_warm_seconds(spot->threads + spot->antagonists, seconds);
}

static void measure(struct fixture *s, struct progress *before, struct progress *after)
{
    uint64_t duration = (uint64_t)s->spot->run_ms * MS;

    clock_sleep_ns((uint64_t)(spot_warm_seconds(s->spot) * S));
    look(s, before);
    __atomic_store_n(&s->counts, true, __ATOMIC_RELAXED);
    do {
        clock_sleep_ns(duration);
        look(s, after);
    } while (after->operations == before->operations ||    /* none that has a lock had a CPU, */
             after->acquisitions == before->acquisitions); /* or only to end what it had begun */
    __atomic_store_n(&s->counts, false, __ATOMIC_RELAXED);
    __atomic_store_n(&s->over, true, __ATOMIC_RELAXED);
}

static void conclude(const struct fixture *s, const struct progress *before, struct progress *after,
                     const struct bench_point *point, struct bench_entry *entry,
                     struct bench_run *out)
{
    double operations = (double)(after->operations - before->operations);
    double acquisitions = (double)(after->acquisitions - before->acquisitions);
    double took = (double)(after->at - before->at) / S;
    struct tally did = tally_between(&before->tally, &after->tally);
    struct gauge g = {.rate = operations / took,
                      .cpu_ns = (double)(after->cpu_ns - before->cpu_ns) / acquisitions};

    for (unsigned i = 0; i < s->spot->threads; i++)
        after->of_each[i] -= before->of_each[i];
    evaluate_fairness(after->of_each, s->spot->threads, &g);
    evaluate_waits(s, &g);
    tally_share(&did, acquisitions / THOUSAND, entry, out);
    out->seconds = took / operations;
    if (!bench_counts_calls)
        gauge_keep(point, entry, &g);
}

/* False with errno if that many cannot start. */
static bool run_once(struct fixture *s, struct progress *before, struct progress *after)
{
    const struct spot *spot = s->spot;
    struct worker_group *hogs = NULL, *group = NULL;

    if (spot->antagonists > 0) {
        hogs = hogs_start(spot->antagonists, spot->mix->duty);
        if (hogs == NULL)
            return false;
    }
    group = workers_start(spot->threads, WORKER_THREADS, worker, s);
    int error = errno;
    if (group != NULL) {
        workers_go(group);
        measure(s, before, after);
    }
    if (hogs != NULL)
        hogs_end(hogs); /* now, so that those who queue for a lock need not wait for them, too */
    if (group != NULL)
        workers_join(group);
    errno = error;
    return group != NULL;
}

static bool prepare(struct fixture *s, struct progress *before, struct progress *after)
{
    const struct spot *spot = s->spot;

    s->data = spot->mode->make(spot->mix);
    s->locks = adapter_make(s->lock, spot->mode->locks(spot->mix), false);
    s->workers = aligned_alloc(alignof(struct worker), spot->threads * sizeof *s->workers);
    before->of_each = calloc(spot->threads, sizeof *before->of_each);
    after->of_each = calloc(spot->threads, sizeof *after->of_each);
    if (s->data == NULL || s->locks == NULL || s->workers == NULL || before->of_each == NULL ||
        after->of_each == NULL)
        return false;
    memset(s->workers, 0, spot->threads * sizeof *s->workers);
    for (unsigned i = 0; i < spot->threads; i++)
        s->workers[i].fixture = s;
    return true;
}

bool spot_run(struct bench_point *point, struct bench_entry *entry, struct bench_run *out)
{
    const struct spot *spot = point->detail;
    struct fixture s = {.spot = spot, .lock = (const struct adapter *)(const void *)entry->lock};
    struct progress before = {0}, after = {0};
    bool good = prepare(&s, &before, &after) && run_once(&s, &before, &after);

    if (good) {
        const char *fault = spot->mode->check(&s);
        if (fault != NULL) {
            bench_warn("%s at %s: %s", entry->lock->name, point->title, fault);
            exit(1);
        }
        conclude(&s, &before, &after, point, entry, out);
    } else {
        int error = errno;
        char limit[160];
        limits_describe(false, limit, sizeof limit);
        bench_warn("cannot run %u threads and %u antagonists: %s; %s", spot->threads,
                   spot->antagonists, strerror(error), limit);
    }
    free(before.of_each);
    free(after.of_each);
    free(s.workers);
    if (s.locks != NULL)
        adapter_unmake(s.lock, s.locks, spot->mode->locks(spot->mix));
    if (s.data != NULL)
        spot->mode->unmake(s.data);
    return good;
}
