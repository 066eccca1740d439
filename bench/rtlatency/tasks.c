/* SPDX-License-Identifier: MIT */
/*
 * Section V-A: periodic tasks, each job of which takes the one lock once.  What a job executes it
 * does on memory, so that the caches are never warm.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "measure/clock.h"
#include "measure/rng.h"
#include "tasks.h"
#include "ticks.h"

enum {
    US = 1000,
    MS = 1000 * US,
    PERIOD_LOW = 600 * US,
    PERIOD_HIGH = 800 * US,
    SECTION_LOW = 25 * US,
    SECTION_HIGH = 45 * US,
    EXECUTION_LOW = 25 * US,
    EXECUTION_HIGH = 65 * US,
    POLLUTED = 256 * 1024, /* bytes, of each task */
    TRIAL = 20000,         /* lines */
    TRIALS = 5
};

/* --- Work ------------------------------------------------------------------------------------ */

static void pollute(struct worker *w, uint64_t lines)
{
    for (uint64_t i = 0; i < lines; i++) {
        w->memory[w->line]++;
        w->line = (w->line + CACHE_LINE) % POLLUTED;
    }
}

/* The most that were done in a nanosecond, once for all runs. */
static double lines_per_ns(struct worker *w)
{
    static double most;

    static bool is_known;

    for (int i = 0; i < TRIALS && !is_known; i++) {
        uint64_t began = clock_ns();
        double now;
        pollute(w, TRIAL);
        now = (double)TRIAL / (double)(clock_ns() - began + 1);
        most = now > most ? now : most;
    }
    is_known = true;
    return most;
}

/* --- A task ---------------------------------------------------------------------------------- */

static void job(struct worker *w, struct actor *a, struct job *j)
{
    pollute(w, w->other_lines / 2);
    j->at[0] = ticks_before();
    actor_lock(a);
    j->at[1] = ticks_after();
    j->section = w->all->fixture.sections++;
    pollute(w, w->section_lines);
    j->at[2] = ticks_before();
    actor_unlock(a);
    j->at[3] = ticks_after();
    pollute(w, w->other_lines - w->other_lines / 2);
    j->none[0] = ticks_before();
    j->none[1] = ticks_after();
}

/* The run's end is counted from when the first task runs; this program may be held up before. */
static uint64_t end_of(struct tasks *all)
{
    uint64_t none = 0, mine = clock_ns() + (uint64_t)all->spot->run_ms * MS;

    return __atomic_compare_exchange_n(&all->ends_ns, &none, mine, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED)
               ? mine
               : none;
}

/* One job at least. */
static void work_until(struct worker *w, struct actor *a, uint64_t end)
{
    do {
        struct job *j = &w->jobs[w->n++];
        job(w, a, j);
        j->sleep[0] = ticks_before();
        actor_next_period(a);
        j->sleep[1] = ticks_after();
    } while (clock_ns() < end && w->n < w->capacity);
}

static void work(struct worker *w, struct actor *a)
{
    struct switches *s = switches_open();

    pthread_barrier_wait(&w->all->start);
    if (__atomic_load_n(&w->all->error, __ATOMIC_RELAXED) == 0)
        work_until(w, a, end_of(w->all));
    w->blind = s == NULL || !switches_read(s, &w->pauses, &w->n_pauses);
    if (s != NULL)
        switches_close(s);
}

static void *task(void *arg)
{
    struct worker *w = arg;
    struct tasks *all = w->all;
    struct actor a;
    int error = actor_begin(&a, &all->fixture, cpu_number(w->index % all->spot->cpus),
                            PRIORITY + (int)w->index, w->period_ns);

    if (error != 0) {
        const char *why = fw_rt_strerror();
        bench_warn("%s: %s", all->fixture.variant->head.name, *why != '\0' ? why : strerror(error));
        __atomic_store_n(&all->error, error, __ATOMIC_RELAXED);
        pthread_barrier_wait(&all->start);
        return NULL;
    }
    work(w, &a);
    actor_end(&a);
    return NULL;
}

/* --- A run ----------------------------------------------------------------------------------- */

static void draw_tasks(struct tasks *all, unsigned repetition)
{
    const struct spot *spot = all->spot;
    struct rng r;

    rng_seed(&r, spot->seed * 1000 + repetition);
    for (unsigned i = 0; i < spot->tasks; i++) {
        struct worker *w = &all->worker[i];
        double section = rng_between(&r, SECTION_LOW, SECTION_HIGH);
        double other = rng_between(&r, EXECUTION_LOW, EXECUTION_HIGH);

        *w = (struct worker){.all = all, .index = i};
        w->period_ns = (uint64_t)rng_between(&r, PERIOD_LOW, PERIOD_HIGH);
        w->capacity = (size_t)spot->run_ms * MS / PERIOD_LOW + 2;
        w->jobs = calloc(w->capacity, sizeof *w->jobs);
        w->memory = calloc(POLLUTED, 1);
        if (w->jobs == NULL || w->memory == NULL)
            bench_die("no memory");
        memset(w->jobs, 1, w->capacity * sizeof *w->jobs); /* no page faults later */
        w->section_lines = (uint64_t)(section * lines_per_ns(w));
        w->other_lines = (uint64_t)(other * lines_per_ns(w));
    }
}

static void time_ticks(struct tasks *all, uint64_t ticks, uint64_t ns)
{
    uint64_t now = clock_ns(), ticks_now = ticks_before();

    all->tick_ns = (double)(now - ns) / (double)(ticks_now - ticks);
    all->zero_ns = (double)now - (double)ticks_now * all->tick_ns;
}

static void start(struct tasks *all)
{
    const struct spot *spot = all->spot;
    unsigned n = 0;
    int error = 0;

    pthread_barrier_init(&all->start, NULL, spot->tasks + 1);
    for (; n < spot->tasks && error == 0; n++)
        error = pthread_create(&all->worker[n].thread, NULL, task, &all->worker[n]);
    if (error != 0) /* those that have come wait forever */
        bench_die("cannot start %u threads: %s", spot->tasks, strerror(error));
    pthread_barrier_wait(&all->start);
}

static bool is_blind(const struct tasks *all)
{
    for (unsigned i = 0; i < all->spot->tasks; i++)
        if (all->worker[i].blind)
            return true;
    return false;
}

static void finish(struct tasks *all)
{
    for (unsigned i = 0; i < all->spot->tasks; i++) {
        free(all->worker[i].jobs);
        free(all->worker[i].memory);
        free(all->worker[i].pauses);
    }
    pthread_barrier_destroy(&all->start);
    fixture_close(&all->fixture);
}

static double average(const struct samples *s, enum sample_kind kind)
{
    double all = 0;

    for (size_t i = 0; i < s->n[kind]; i++)
        all += (double)s->ns[kind][i];
    return s->n[kind] > 0 ? all / (double)s->n[kind] : 0;
}

/* The run's samples join those of the runs before; not those taken while calls were counted. */
static void keep(struct samples *run, struct samples *all, struct bench_run *out)
{
    out->seconds = (average(run, LOCK_FREE) + average(run, UNLOCK_FREE)) / 1e9;
    for (int kind = 0; kind < SAMPLE_KINDS && !bench_counts_calls; kind++)
        for (size_t i = 0; i < run->n[kind]; i++)
            samples_add(all, kind, (double)run->ns[kind][i]);
    samples_free(run);
}

bool tasks_run(struct bench_point *point, struct bench_entry *e, struct bench_run *out)
{
    const struct spot *spot = point->detail;
    struct tasks all = {.spot = spot};
    struct samples run = {0};
    struct tally before, used;
    uint64_t ticks, ns;
    const char *why;
    int error = fixture_open(&all.fixture, variant_of(e), spot->tier, &why);

    if (error != 0) {
        bench_warn("%s: %s", e->lock->name, why);
        return false;
    }
    draw_tasks(&all, spot->bench->done + spot->bench->finished);
    tally_read(&before);
    ticks = ticks_before();
    ns = clock_ns();
    start(&all);
    for (unsigned i = 0; i < spot->tasks; i++)
        pthread_join(all.worker[i].thread, NULL);
    time_ticks(&all, ticks, ns);
    used = tally_since(&before);
    if (all.error == 0 && is_blind(&all))
        bench_warn("the kernel does not tell when threads run (perf_event_open)");
    else if (all.error == 0 && !evaluate(&all, &run))
        bench_die("%s at %s: sections overlapped", e->lock->name, point->title);
    error = all.error != 0 || is_blind(&all);
    tally_share(&used, (double)(run.n[LOCK_FREE] + run.n[LOCK_TAKEN]), e, out);
    keep(&run, &spot->samples[e - point->entries], out);
    finish(&all);
    return error == 0;
}
