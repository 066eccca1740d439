/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "lockmix.h"
#include "measure/stats.h"

static size_t number_of(const struct bench_point *p, const struct bench_entry *e)
{
    return (size_t)(e - p->entries);
}

void gauge_keep(const struct bench_point *p, const struct bench_entry *e, const struct gauge *g)
{
    const struct spot *spot = p->detail;
    struct gauge **at = &spot->gauges[number_of(p, e)];

    if (*at == NULL)
        *at = calloc(spot->bench->repetitions, sizeof **at);
    if (*at == NULL)
        bench_die("no memory");
    (*at)[spot->bench->finished] = *g;
}

static const struct gauge *gauges_of(const struct bench_point *p, const struct bench_entry *e)
{
    return ((const struct spot *)p->detail)->gauges[number_of(p, e)];
}

double gauge_median(const struct bench *b, const struct bench_point *p, const struct bench_entry *e,
                    size_t offset)
{
    const struct gauge *all = gauges_of(p, e);
    double *values = malloc((b->finished + 1) * sizeof *values);

    if (values == NULL)
        bench_die("no memory");
    for (unsigned i = 0; i < b->finished; i++)
        values[i] = *(const double *)((const char *)&all[i] + offset);
    double median = stats_median(values, b->finished);
    free(values);
    return median;
}

void gauge_describe(const struct bench *b, const struct bench_point *p, const struct bench_entry *e,
                    json_t *cell)
{
    const struct gauge *all = gauges_of(p, e);
    json_t *runs = json_object_get(cell, "runs");

    for (unsigned i = 0; i < b->finished; i++)
        json_object_update_new(json_array_get(runs, i),
                               json_pack("{s:f s:f s:{s:f s:f} s:{s:f s:f s:f s:f}}", "throughput",
                                         all[i].rate, "cpu_ns", all[i].cpu_ns, "fairness",
                                         "min_max", all[i].least, "half", all[i].half, "wait_ns",
                                         "p50", all[i].p50, "p99", all[i].p99, "p999", all[i].p999,
                                         "max", all[i].longest));
}
