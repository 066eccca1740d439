/* SPDX-License-Identifier: MIT */
/* Many locks over threads and duty cycles, in turns: the points of an experiment. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "futexlock.h"
#include "measure/machine.h"
#include "measure/workers.h"

const char lock_adaptive[] = "furwock", lock_normal[] = "furwock-block",
           lock_fixed[] = "furwock-spin7";

/* The locks that take part if none is named. */
static const char *const usual[] = {lock_adaptive,      lock_normal,  lock_fixed, "pthread",
                                    "pthread-adaptive", "pthread-pi", "ck-mcs",   "nsync",
                                    "abseil",           "parking_lot"};

/*
 * Where waiters never sleep, each hand-off to one that was preempted waits for its turn on a
 * CPU.  So a run takes the longer, the more of them there are, by their square.
 */
enum { SPINNERS_PER_CPU = 4, SPINNERS_LEAST = 8 };

#define OVERHEAD 1.1 /* of the time of a run: threads begin and end */

static bool is_usual(const char *name)
{
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strcmp(usual[i], name) == 0)
            return true;
    return false;
}

static bool takes_part(const adapter_head *lock, const struct duty *d,
                       const struct bench_options *o)
{
    unsigned most = SPINNERS_PER_CPU * cpus_usable();

    if (o->n > 0 ? !bench_wanted(o, lock->name, lock_normal) : !is_usual(lock->name))
        return false;
    if ((lock->flags & ADAPTER_PROCESSES) != 0)
        return false;
    return (lock->flags & (ADAPTER_BLOCKS | ADAPTER_NOTHING)) != 0 ||
           d->threads <= (most > SPINNERS_LEAST ? most : SPINNERS_LEAST);
}

static struct sweep_point *all; /* chained by `next` */

const struct sweep_point *sweep_detail(const struct bench_point *p)
{
    return p->detail;
}

struct bench_point *sweep_point(struct bench *b, const struct duty *d, const struct extent *until)
{
    struct sweep_point *detail = calloc(1, sizeof *detail);
    struct bench_point *p = bench_add_point(
        b, 1,
        json_pack("{s:i s:s s:i s:i}", "threads", (int)d->threads, "assist", machine_assist(),
                  "period", (int)d->period, "duty", (int)d->cycle));

    if (detail == NULL)
        bench_die("no memory");
    detail->next = all;
    all = detail;
    detail->duty = *d;
    detail->until = *until;
    for (size_t i = 0; i < BENCH_LOCKS_MAX; i++)
        detail->spent[i].lock_calls = detail->spent[i].unlock_calls = NAN;
    p->detail = detail;
    snprintf(p->title, sizeof p->title, "%u thread%s, period %u, duty cycle %u %%", d->threads,
             d->threads == 1 ? "" : "s", d->period, d->cycle);
    return p;
}

void sweep_release(void)
{
    while (all != NULL) {
        struct sweep_point *gone = all;

        all = gone->next;
        for (size_t i = 0; i < BENCH_LOCKS_MAX; i++) {
            free(gone->spent[i].cpu_seconds);
            free(gone->spent[i].burnt_seconds);
        }
        free(gone);
    }
}

void sweep_add(struct bench *b, const struct duty *d, const struct extent *until,
               const struct bench_options *o)
{
    unsigned ms = bench_run_ms(d->threads, until->milliseconds, until->is_exact);
    const struct extent mine = {.milliseconds = ms, .is_exact = until->is_exact};
    struct bench_point *p = sweep_point(b, d, &mine);

    json_object_set_new(p->parameters, "run_ms", json_integer(ms));
    json_object_set_new(p->parameters, "short", json_boolean(bench_is_short(d->threads, ms)));
    p->run_seconds = ((double)ms / THOUSAND + run_warm_seconds(d->threads, &mine)) * OVERHEAD;
    for (size_t i = 0; i < b->catalogue.n; i++)
        if (takes_part(b->catalogue.locks[i], d, o))
            bench_add_entry(p, b->catalogue.locks[i], lock_normal);
}

static struct spent *spent_of(const struct bench_point *p, const struct bench_entry *e)
{
    const struct sweep_point *detail = p->detail;

    return (struct spent *)&detail->spent[e - p->entries];
}

static void append(double **list, unsigned n, double value)
{
    double *more = realloc(*list, (n + 1) * sizeof *more);

    if (more == NULL)
        bench_die("no memory");
    *list = more;
    more[n] = value;
}

static void keep_cpu(struct spent *s, double seconds, const struct duty *d)
{
    double burnt = seconds - d->period * instructions_seconds();

    append(&s->cpu_seconds, s->n, seconds);
    append(&s->burnt_seconds, s->n, burnt > 0 ? burnt : 0);
    s->n++;
}

void sweep_record(struct bench_point *p, struct bench_entry *e, const struct outcome *found,
                  struct bench_run *out)
{
    struct spent *s = spent_of(p, e);
    /* Not one in all the time: as slow as can be said. */
    double n = found->iterations > 0 ? (double)found->iterations : 1;

    if (found->lost > 0) {
        e->faults++;
        e->fault = "let two threads in at once";
    }
    if (found->calls.known) { /* a run that counts: its time is not used */
        e->system_calls = (double)(found->calls.lock + found->calls.unlock) / n;
        if (found->calls.split) {
            s->lock_calls = (double)found->calls.lock / n;
            s->unlock_calls = (double)found->calls.unlock / n;
        }
        return;
    }
    out->seconds = found->seconds / n;
    tally_share(&found->tally, n, e, out);
    keep_cpu(s, found->cpu_seconds / n, &sweep_detail(p)->duty);
}

bool sweep_run(struct bench_point *p, struct bench_entry *e, struct bench_run *out)
{
    const struct sweep_point *detail = p->detail;
    struct outcome found;
    const char *why;
    struct calls *calls = bench_counts_calls ? calls_open(&why) : NULL;
    bool good =
        run_lock((const struct adapter *)e->lock, &detail->duty, &detail->until, calls, &found);

    calls_close(calls);
    if (good)
        sweep_record(p, e, &found, out);
    return good;
}

static void add_number(json_t *object, const char *name, double value)
{
    json_object_set_new(object, name, isfinite(value) ? json_real(value) : json_null());
}

void sweep_describe(const struct bench *b, const struct bench_point *p, const struct bench_entry *e,
                    json_t *cell)
{
    const struct spent *s = spent_of(p, e);
    json_t *runs = json_object_get(cell, "runs");

    for (unsigned i = 0; i < b->finished && i < s->n; i++) {
        json_t *run = json_array_get(runs, i);
        add_number(run, "cpu_seconds", s->cpu_seconds[i]);
        add_number(run, "burnt_seconds", s->burnt_seconds[i]);
        add_number(run, "lock_syscalls", s->lock_calls);
        add_number(run, "unlock_syscalls", s->unlock_calls);
    }
}
