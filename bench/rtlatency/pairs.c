/* SPDX-License-Identifier: MIT */
/*
 * A pair that meets nobody: the least urgent task of the CPU locks and unlocks, while the others of
 * its group sleep.  How many these are counts: a ceiling is looked for among all of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "measure/clock.h"
#include "measure/stats.h"
#include "rtlatency.h"

enum {
    WARM = 200,        /* pairs */
    BATCHES = 9,       /* of which the middle one counts */
    BATCH_NS = 500000, /* about: nobody else gets the CPU meanwhile */
    REST_NS = 500000   /* in which all others may have it */
};

struct pairs {
    struct fixture fixture;
    const struct spot *spot;
    struct bench_entry *entry;
    struct bench_run *out;
    pthread_barrier_t start; /* all are there; and all may go */
    int error;
};

static void complain(const struct pairs *p, int error)
{
    const char *why = fw_rt_strerror();

    bench_warn("%s: %s", p->fixture.variant->head.name, *why != '\0' ? why : strerror(error));
}

static double batch(struct actor *a, unsigned pairs)
{
    uint64_t began = clock_ns();

    for (unsigned i = 0; i < pairs; i++) {
        actor_lock(a);
        actor_unlock(a);
    }
    return (double)(clock_ns() - began) / pairs;
}

static void measure(struct pairs *p, struct actor *a)
{
    double ns[BATCHES], each = batch(a, WARM);
    unsigned n = each * 2 < BATCH_NS ? (unsigned)(BATCH_NS / each) : 2;
    struct tally before, used;

    tally_read(&before);
    for (int i = 0; i < BATCHES; i++) {
        clock_sleep_ns(REST_NS);
        batch(a, WARM);
        ns[i] = batch(a, n);
    }
    used = tally_since(&before);
    tally_share(&used, (double)(n + WARM) * BATCHES, p->entry, p->out);
    p->out->seconds = stats_median(ns, BATCHES) / 1e9;
}

static void *first(void *arg)
{
    struct pairs *p = arg;
    struct actor a;
    int error = actor_begin(&a, &p->fixture, cpu_number(0), PRIORITY, 0);

    if (error != 0) {
        complain(p, error);
        __atomic_store_n(&p->error, error, __ATOMIC_RELAXED);
    }
    pthread_barrier_wait(&p->start);
    if (__atomic_load_n(&p->error, __ATOMIC_RELAXED) == 0)
        measure(p, &a);
    pthread_barrier_wait(&p->start);
    if (error == 0)
        actor_end(&a);
    return NULL;
}

static void *sleeper(void *arg)
{
    struct pairs *p = arg;
    struct actor a;
    int error = actor_begin(&a, &p->fixture, cpu_number(0), PRIORITY + 1, 0);

    if (error != 0) {
        complain(p, error);
        __atomic_store_n(&p->error, error, __ATOMIC_RELAXED);
    }
    pthread_barrier_wait(&p->start);
    pthread_barrier_wait(&p->start);
    if (error == 0)
        actor_end(&a);
    return NULL;
}

bool pairs_run(struct bench_point *point, struct bench_entry *e, struct bench_run *out)
{
    const struct spot *spot = point->detail;
    struct pairs p = {.spot = spot, .entry = e, .out = out};
    pthread_t threads[TASKS_MAX];
    unsigned n = 0;
    const char *why;
    int error = fixture_open(&p.fixture, variant_of(e), spot->tier, &why);

    if (error != 0) {
        bench_warn("%s: %s", e->lock->name, why);
        return false;
    }
    pthread_barrier_init(&p.start, NULL, spot->tasks);
    while (n < spot->tasks && error == 0) {
        error = pthread_create(&threads[n], NULL, n == 0 ? first : sleeper, &p);
        n += error == 0;
    }
    if (error != 0) /* those that have come wait forever */
        bench_die("cannot start %u threads: %s", spot->tasks, strerror(error));
    while (n > 0)
        pthread_join(threads[--n], NULL);
    pthread_barrier_destroy(&p.start);
    fixture_close(&p.fixture);
    return p.error == 0;
}
