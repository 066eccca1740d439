/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure/clock.h"
#include "measure/machine.h"
#include "measure/stats.h"
#include "run.h"

struct totals {
    uint64_t iterations;      /* in the window that the main task saw */
    uint64_t reads;           /* of all that were done */
    uint64_t measured[MODES]; /* as the tasks counted them, between two looks at the phase */
    uint64_t contended[MODES];
    uint64_t cpu_ns;
    uint64_t useful_steps;
    uint64_t voluntary;
    uint64_t involuntary;
    uint64_t violations;
};

static struct totals add_up(const struct shared_state *s, const struct window *w)
{
    struct totals t = {0};
    uint64_t visits = 0, done = 0;

    for (unsigned i = 0; i < s->options->tasks; i++) {
        const struct result *r = &s->results[i];

        t.iterations += w->counts[i];
        for (int mode = 0; mode < MODES; mode++) {
            t.measured[mode] += r->measured[mode];
            t.contended[mode] += r->contended[mode];
        }
        t.reads += r->reads;
        t.cpu_ns += r->cpu_ns;
        t.useful_steps += r->useful_steps;
        t.voluntary += r->voluntary;
        t.involuntary += r->involuntary;
        t.violations += r->violations;
        done += r->iterations;
    }
    for (unsigned i = 0; i < s->options->locks; i++)
        visits += s->guarded[i].serial;
    done -= t.reads;
    if (visits != done) /* updates were lost: two tasks were inside at once */
        t.violations += visits < done ? done - visits : visits - done;
    return t;
}

/* Coefficient of variation of the tasks' counts. */
static double variation(const uint64_t *counts, unsigned n)
{
    struct stats s = {0};

    for (unsigned i = 0; i < n; i++)
        stats_add(&s, (double)counts[i]);
    return stats_coeff(&s);
}

static double ratio(uint64_t a, uint64_t b)
{
    return b != 0 ? (double)a / (double)b : 0;
}

/*
 * How often a task got the lock back before anybody else had it: of all the unbroken rows of
 * acquisitions by one task, the fractions that ended after the first ("never" got it back), the
 * second and the third, and the largest number of times that a task got it back.
 */
static json_t *reacquired(const struct shared_state *s)
{
    uint64_t runs[4] = {0}, longest = 0, all = 0;

    for (unsigned i = 0; i < s->options->locks; i++) {
        const struct guarded *g = &s->guarded[i];

        for (unsigned k = 0; k < 4; k++)
            runs[k] += g->runs[k];
        if (g->run != 0)
            runs[g->run < 4 ? g->run - 1 : 3]++;
        if (g->longest > longest)
            longest = g->longest;
    }
    for (unsigned k = 0; k < 4; k++)
        all += runs[k];
    if (all == 0)
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:I}", "never", ratio(runs[0], all), "once",
                     ratio(runs[1], all), "twice", ratio(runs[2], all), "max",
                     (json_int_t)(longest - 1));
}

/* Of the lock calls of one mode, or from `from` to `to` of several. */
static json_t *waits(const struct shared_state *s, enum mode from, enum mode to)
{
    struct histogram all;

    if (s->waits == NULL)
        return json_null();
    histogram_clear(&all);
    for (unsigned i = 0; i < s->options->tasks; i++)
        for (int mode = from; mode <= (int)to; mode++)
            histogram_merge(&all, &s->waits[i * MODES + (unsigned)mode]);
    if (all.n == 0)
        return json_null();
    return json_pack(
        "{s:f, s:f, s:f, s:f, s:f, s:f}", "p50", (double)histogram_percentile(&all, 0.5), "p90",
        (double)histogram_percentile(&all, 0.9), "p99", (double)histogram_percentile(&all, 0.99),
        "p999", (double)histogram_percentile(&all, 0.999), "max", (double)all.max, "mean",
        histogram_mean(&all));
}

static json_t *number_or_null(bool known, double number)
{
    return known ? json_real(number) : json_null();
}

static json_t *contention(const struct shared_state *s, uint64_t contended, uint64_t measured)
{
    return number_or_null(s->options->probe == PROBE_CONTENTION && measured != 0,
                          ratio(contended, measured));
}

/* What there is to tell of readers and writers each. */
static void add_modes(json_t *j, const struct shared_state *s, const struct totals *t)
{
    const uint64_t *measured = t->measured, *contended = t->contended;

    json_object_set_new(
        j, "reads",
        json_real(ratio(measured[MODE_READ], measured[MODE_READ] + measured[MODE_WRITE])));
    json_object_set_new(j, "read_wait_ns", waits(s, MODE_READ, MODE_READ));
    json_object_set_new(j, "write_wait_ns", waits(s, MODE_WRITE, MODE_WRITE));
    json_object_set_new(j, "read_contention",
                        contention(s, contended[MODE_READ], measured[MODE_READ]));
    json_object_set_new(j, "write_contention",
                        contention(s, contended[MODE_WRITE], measured[MODE_WRITE]));
}

/*
 * Of each acquisition: the CPU time from one to the next, and how much of that was not the
 * work between them.  On a CPU that is slower than when the work was calibrated, that shows
 * as time burnt; so it does for all locks.
 */
static void add_cost(json_t *j, const struct totals *t, uint64_t acquisitions)
{
    double useful = (double)t->useful_steps / work_calibrate();
    double n = (double)acquisitions;
    bool known = acquisitions != 0 && t->cpu_ns != 0;

    json_object_set_new(j, "cpu_ns", number_or_null(known, (double)t->cpu_ns / n));
    json_object_set_new(j, "burnt_ns", number_or_null(known, ((double)t->cpu_ns - useful) / n));
    json_object_set_new(j, "assist", json_string(machine_assist()));
}

uint64_t summary_print(const struct shared_state *s, const struct window *w)
{
    const struct options *o = s->options;
    struct totals t = add_up(s, w);
    bool counted = w->syscalls >= 0;
    uint64_t measured = t.measured[MODE_READ] + t.measured[MODE_WRITE];
    uint64_t contended = t.contended[MODE_READ] + t.contended[MODE_WRITE];
    json_t *j = json_pack(
        "{s:s, s:f, s:I, s:f, s:f, s:o, s:o, s:o, s:o, s:f, s:f, s:f, s:I, s:i}", "lock",
        o->lock.head->name, "seconds", w->seconds, "iterations", (json_int_t)t.iterations,
        "throughput", (double)t.iterations / w->seconds, "coeff", variation(w->counts, o->tasks),
        "contention", contention(s, contended, measured), "reacquire",
        o->sharing ? json_null() : reacquired(s), "wait_ns", waits(s, MODE_READ, MODE_WRITE),
        "syscalls", number_or_null(counted, ratio((uint64_t)w->syscalls, t.iterations)), "vcsw",
        ratio(t.voluntary, measured), "ivcsw", ratio(t.involuntary, measured), "cpu_seconds",
        (double)t.cpu_ns / 1e9, "integrity", (json_int_t)t.violations, "late", (int)w->late);

    json_object_set_new(j, "fences_per_s",
                        number_or_null(w->fences >= 0, (double)w->fences / w->seconds));
    add_cost(j, &t, measured);
    if (o->sharing)
        add_modes(j, s, &t);
    if (w->syscalls_why != NULL)
        json_object_set_new(j, "syscalls_why", json_string(w->syscalls_why));
    json_dumpf(j, stdout, JSON_COMPACT | JSON_REAL_PRECISION(9));
    putchar('\n');
    json_decref(j);
    return t.violations;
}
