/* SPDX-License-Identifier: MIT */
/*
 * Figure 1 of the paper: how the cost of scheduling is distributed under each protocol, with
 * deferred updates and without.
 */
#include <math.h>
#include <stdio.h>

#include "rtlatency.h"

/* Of the table. */
static const double percents[] = {1, 10, 25, 50, 75, 90, 99, 99.9, 100};
enum { PERCENTS = sizeof percents / sizeof *percents };

static double percentile(const struct bench_point *p, const struct bench_entry *e, double percent)
{
    const struct spot *spot = p->detail;

    return samples_percentile(&spot->samples[e - p->entries], SCHEDULE, samples_common(p, SCHEDULE),
                              percent);
}

static const struct bench_entry *baseline_of(const struct bench_point *p,
                                             const struct bench_entry *e)
{
    return entry_of(p, variant_of(e)->baseline);
}

/* "4321 (+65)": what it is more than its baseline's. */
static void cell(const struct bench_point *p, const struct bench_entry *e, double percent,
                 FILE *out)
{
    const struct bench_entry *base = baseline_of(p, e);
    double value = percentile(p, e, percent);
    char text[32];

    if (!isfinite(value))
        snprintf(text, sizeof text, "-");
    else if (base == NULL || !isfinite(percentile(p, base, percent)))
        snprintf(text, sizeof text, "%.0f", value);
    else
        snprintf(text, sizeof text, "%.0f (%+.0f)", value, value - percentile(p, base, percent));
    fprintf(out, " %15s", text);
}

static void print_paper(const struct bench_point *p, FILE *out)
{
    fprintf(out, "  %-24s", "   in the paper, about");
    for (size_t k = 0; k < p->n; k++) {
        char text[32] = "";
        if (variant_of(&p->entries[k])->paper_schedule > 0)
            snprintf(text, sizeof text, "(+%u)", variant_of(&p->entries[k])->paper_schedule);
        fprintf(out, " %15s", text);
    }
    fputc('\n', out);
}

void distribution_print(const struct bench_point *p, FILE *out)
{
    fputs("  distribution of scheduling (more than the baseline's); Figure 1\n", out);
    for (int i = 0; i < PERCENTS; i++) {
        fprintf(out, "  %-22g %%", percents[i]);
        for (size_t k = 0; k < p->n; k++)
            cell(p, &p->entries[k], percents[i], out);
        fputc('\n', out);
    }
    print_paper(p, out);
}

static void add(json_t *list, const struct bench_point *p, const struct bench_entry *e,
                double percent)
{
    double value = percentile(p, e, percent);

    if (isfinite(value))
        json_array_append_new(list, json_pack("[f,f]", percent, value));
}

json_t *distribution_json(const struct bench_point *p, const struct bench_entry *e)
{
    json_t *list = json_array();

    for (int percent = 0; percent < 100; percent++)
        add(list, p, e, percent);
    add(list, p, e, 99.9);
    add(list, p, e, 100);
    return list;
}
