/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "bench.h"

/* One member of each run, in an array that the caller frees. */
static double *column(const struct bench_entry *e, unsigned n, size_t offset)
{
    double *values = malloc((n > 0 ? n : 1) * sizeof *values);

    if (values == NULL)
        bench_die("no memory");
    for (unsigned i = 0; i < n; i++)
        values[i] = *(const double *)((const char *)&e->runs[i] + offset);
    return values;
}

#define COLUMN(e, n, member) column(e, n, offsetof(struct bench_run, member))

static double median_of(double *values, unsigned n)
{
    double median = stats_median(values, n);

    free(values);
    return median;
}

struct bench_figures bench_figures(const struct bench *b, const struct bench_point *p,
                                   const struct bench_entry *e)
{
    unsigned n = b->finished;
    struct bench_figures f = {.n = n, .ratio = {NAN, NAN, NAN}};
    double *mine = COLUMN(e, n, seconds), *ones = COLUMN(e, n, seconds);

    for (unsigned i = 0; i < n; i++)
        ones[i] = 1;
    struct stats_ratio level = stats_median_ratio(mine, ones, n);
    f.median = level.ratio;
    f.low = level.low;
    f.high = level.high;
    f.voluntary = median_of(COLUMN(e, n, voluntary), n);
    f.involuntary = median_of(COLUMN(e, n, involuntary), n);
    if (p->baseline < p->n) {
        double *others = COLUMN(&p->entries[p->baseline], n, seconds);
        f.ratio = stats_median_ratio(mine, others, n);
        free(others);
    }
    free(mine);
    free(ones);
    return f;
}

const struct bench_entry *bench_best_rival(const struct bench *b, const struct bench_point *p)
{
    const struct bench_entry *best = NULL;
    double least = INFINITY;

    for (size_t k = 0; k < p->n; k++) {
        double median = median_of(COLUMN(&p->entries[k], b->finished, seconds), b->finished);
        const adapter_head *lock = p->entries[k].lock;

        if (lock->family == FAMILY_RIVAL && (lock->flags & ADAPTER_NOTHING) == 0 &&
            median < least) {
            least = median;
            best = &p->entries[k];
        }
    }
    return best;
}
