/* SPDX-License-Identifier: MIT */
/*
 * How long runs last, and which of them fit into a time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "measure/turns.h"
#include "measure/workers.h"

enum { MS = 1000, NAMED = 3 /* points that are left out and named, at most */ };

unsigned bench_run_ms(unsigned tasks, unsigned ms, bool is_exact)
{
    return is_exact ? ms : (unsigned)ceil(turns_run_seconds(tasks, (double)ms / MS) * MS);
}

bool bench_is_short(unsigned tasks, unsigned ms)
{
    return bench_run_ms(tasks, ms, false) > ms;
}

void bench_tell_short(struct bench *b, unsigned tasks, unsigned ms, const char *option)
{
    if (bench_is_short(tasks, ms))
        bench_note(b,
                   "runs of %u ms are too short for %u tasks on %u CPUs: %d turns of the scheduler "
                   "take %u ms, which they last without %s",
                   ms, tasks, cpus_usable(), TURNS_MEASURED, bench_run_ms(tasks, ms, false),
                   option);
}

static double of_point(const struct bench_point *p)
{
    return p->run_seconds * (double)p->n;
}

double bench_expected(const struct bench *b)
{
    double seconds = 0;

    for (size_t i = 0; i < b->n; i++)
        seconds += of_point(&b->points[i]);
    return seconds;
}

/* Whose runs are longest; of equals the last. */
static size_t longest(const struct bench *b)
{
    size_t found = 0;

    for (size_t i = 1; i < b->n; i++)
        if (b->points[i].run_seconds >= b->points[found].run_seconds)
            found = i;
    return found;
}

void bench_drop_point(struct bench *b, size_t i)
{
    json_decref(b->points[i].parameters);
    for (size_t k = 0; k < b->points[i].n; k++)
        free(b->points[i].entries[k].runs);
    free(b->points[i].entries);
    b->n--;
    memmove(&b->points[i], &b->points[i + 1], (b->n - i) * sizeof *b->points);
}

void bench_fit(struct bench *b)
{
    unsigned least = b->repetitions < STATS_INTERVAL_LEAST ? b->repetitions : STATS_INTERVAL_LEAST;
    char named[NAMED][sizeof b->points->title];
    size_t all = b->n, gone = 0;

    for (; b->budget > 0 && b->n > 1 && bench_expected(b) * least > b->budget; gone++) {
        size_t i = longest(b);
        if (b->points[i].run_seconds <= 0)
            break; /* nobody knows how long they take */
        if (gone < NAMED)
            memcpy(named[gone], b->points[i].title, sizeof named[0]);
        bench_drop_point(b, i);
    }
    if (gone == 0)
        return;
    bench_note(b, "left out, to end in %.0f s: %zu of %zu points, those with the longest runs",
               b->budget, gone, all);
    for (size_t i = 0; i < gone && i < NAMED; i++)
        bench_note(b, "left out: %s", named[i]);
    if (gone > NAMED)
        bench_note(b, "left out: %zu more", gone - NAMED);
}
