/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "bench/common/bench.h"
#include "measure/machine.h"
#include "measure/stats.h"
#include "uncontended.h"

static double median_of(const struct experiment *c, const struct contestant *k)
{
    double *copy = malloc(c->finished * sizeof *copy);

    if (copy == NULL)
        return k->samples[0];
    memcpy(copy, k->samples, c->finished * sizeof *copy);
    double median = stats_median(copy, c->finished);
    free(copy);
    return median;
}

static double least_of(const struct experiment *c, const struct contestant *k)
{
    double least = k->samples[0];

    for (unsigned i = 1; i < c->finished; i++)
        if (k->samples[i] < least)
            least = k->samples[i];
    return least;
}

/* To the baseline of its object; false: that was not measured. */
static bool ratio_of(const struct experiment *c, const struct contestant *k, struct stats_ratio *r)
{
    const struct contestant *baseline = experiment_baseline(c, k->entry.object);

    if (baseline == NULL)
        return false;
    *r = stats_median_ratio(k->samples, baseline->samples, c->finished);
    return true;
}

static bool has_cycles(const struct experiment *c)
{
    return c->contestants[0].counted_pairs > 0;
}

static double per_pair(const struct contestant *k, uint64_t count)
{
    return k->counted_pairs == 0 ? 0 : (double)count / (double)k->counted_pairs;
}

static void print_missing(const struct missing_adapter *m, void *out)
{
    fprintf(out, "missing: %s (%s)\n", m->name, m->why);
}

static void print_head(const struct experiment *c, const struct object_kind *kind, FILE *out)
{
    char title[64];

    snprintf(title, sizeof title, "ratio to %s", kind->baseline);
    fprintf(out, "\n%s\n%-18s %8s %8s   %-22s", kind->calls, kind->name, "median", "least", title);
    fprintf(out, has_cycles(c) ? " %8s %8s\n" : "\n", "cycles", "instr.");
}

static void print_row(const struct experiment *c, const struct contestant *k, FILE *out)
{
    struct stats_ratio r;
    char text[48] = "-";

    fprintf(out, "%-18s %5.1f ns %5.1f ns   ", k->entry.head->name, median_of(c, k),
            least_of(c, k));
    if (ratio_of(c, k, &r))
        stats_text(text, sizeof text, r, 3);
    fprintf(out, "%-21s", text);
    if (has_cycles(c))
        fprintf(out, "   %8.1f %8.1f", per_pair(k, k->cycles), per_pair(k, k->instructions));
    fputc('\n', out);
}

void result_print(const struct experiment *c, FILE *out)
{
    struct machine m;

    machine_describe(&m);
    fprintf(out, "%s, %u CPUs%s; %s; %s; %s\n", m.cpu, m.cpus, m.virtual_ ? ", virtual" : "",
            m.kernel, m.libc, m.compiler);
    fprintf(out, "in a tight loop, a second thread sleeping; %u rounds, interleaved\n",
            c->finished);
    if (c->finished == 0)
        return;

    for (size_t i = 0; i < c->n; i++) {
        const struct contestant *k = &c->contestants[i];
        if (i == 0 || k[-1].entry.object != k->entry.object)
            print_head(c, &object_kinds[k->entry.object], out);
        print_row(c, k, out);
    }
    fputs("\nratio: the median of the rounds' ratios, with its 95 % confidence interval\n", out);
    if (!has_cycles(c))
        fprintf(out, "cycles and instructions: not counted; %s\n", counters_no_cycles(c->counters));
    catalogue_missing(print_missing, out);
}

static const char *family_name(enum adapter_family family)
{
    static const char *const names[] = {"furwock", "classic", "rival"};

    return names[family];
}

static void append_missing(const struct missing_adapter *m, void *array)
{
    json_array_append_new(array, json_pack("{s:s s:s}", "lock", m->name, "why", m->why));
}

static json_t *missing_json(void)
{
    json_t *missing = json_array();

    catalogue_missing(append_missing, missing);
    return missing;
}

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *ratio_json(const struct experiment *c, const struct contestant *k)
{
    struct stats_ratio r;

    if (!ratio_of(c, k, &r))
        return json_null();
    return json_pack("{s:s s:f s:o s:o}", "to", object_kinds[k->entry.object].baseline, "median",
                     r.ratio, "low", real_or_null(r.low), "high", real_or_null(r.high));
}

static json_t *cell_json(const struct experiment *c, const struct contestant *k)
{
    const adapter_head *head = k->entry.head;
    unsigned flags = head->flags;
    json_t *samples = json_array();

    for (unsigned i = 0; i < c->finished; i++)
        json_array_append_new(samples, json_real(k->samples[i]));
    json_t *cell = json_pack(
        "{s:s s:s s:s s:b s:b s:b s:b s:{s:f s:f s:o} s:o}", "lock", head->name, "object",
        object_kinds[k->entry.object].name, "family", family_name(head->family), "blocks",
        (flags & ADAPTER_BLOCKS) != 0, "spins", (flags & ADAPTER_SPINS) != 0, "fair",
        (flags & ADAPTER_FAIR) != 0, "shared", (flags & ADAPTER_SHARED) != 0, "ns", "median",
        median_of(c, k), "least", least_of(c, k), "samples", samples, "ratio", ratio_json(c, k));
    if (cell != NULL && has_cycles(c)) {
        json_object_set_new(cell, "cycles", json_real(per_pair(k, k->cycles)));
        json_object_set_new(cell, "instructions", json_real(per_pair(k, k->instructions)));
    }
    return cell;
}

int result_write_json(const struct experiment *c, int fd)
{
    json_t *cells = json_array();

    if (c->finished > 0)
        for (size_t i = 0; i < c->n; i++)
            json_array_append_new(cells, cell_json(c, &c->contestants[i]));
    json_t *root =
        json_pack("{s:s s:s s:s s:i s:b s:o s:o s:o s:o}", "format", "furwock-bench-1", "benchmark",
                  "uncontended", "plan", "single", "rounds", (int)c->finished, "complete",
                  !experiment_interrupted, "machine", bench_machine_json(), "made",
                  bench_made_json(), "missing", missing_json(), "cells", cells);
    if (root == NULL) {
        errno = ENOMEM;
        return -1;
    }
    /* What was there before goes now, and not before there is something to put in its place. */
    if (ftruncate(fd, 0) != 0)
        errno = 0; /* a pipe or a terminal */
    int result = json_dumpfd(root, fd, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    json_decref(root);
    return result;
}
