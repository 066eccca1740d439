/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "atomicmix.h"

static const char *order_name(int order)
{
    return order == __ATOMIC_SEQ_CST   ? "seq_cst"
           : order == __ATOMIC_ACQ_REL ? "acq_rel"
                                       : "relaxed";
}

static const char *where_name(const struct test *t)
{
    return t->threads == 0 ? "alone" : where_names[t->where];
}

void title_of(char *text, size_t size, const struct test *t)
{
    static const char *const where[PLACES] = {"the same object", "neighbours", "objects far apart"};
    int n = snprintf(text, size, "%zu bytes", t->size);

    if (t->sized)
        n += snprintf(text + n, size - (size_t)n, " (_16)");
    if (t->offset != 0)
        n += snprintf(text + n, size - (size_t)n, " at +%zu", t->offset);
    n += snprintf(text + n, size - (size_t)n, ", %s", t->mix.name);
    if (t->order != __ATOMIC_SEQ_CST)
        n += snprintf(text + n, size - (size_t)n, ", %s", order_name(t->order));
    if (t->threads == 0)
        snprintf(text + n, size - (size_t)n, ", alone");
    else
        snprintf(text + n, size - (size_t)n, ", %u thread%s, %s", t->threads,
                 t->threads == 1 ? "" : "s", where[t->where]);
}

json_t *parameters_of(const struct test *t)
{
    return json_pack("{s:i s:i s:s s:s s:s s:i s:s s:i}", "size", (int)t->size, "offset",
                     (int)t->offset, "calls", t->sized ? "_16" : "generic", "mix", t->mix.name,
                     "where", where_name(t), "threads", t->threads > 0 ? (int)t->threads : 1,
                     "order", order_name(t->order), "run_ms", (int)(t->run_ns / 1000000));
}

/* Millions of calls each second to three digits, and the ratio where there is a baseline. */
static void print_entry(const struct bench *b, const struct bench_point *p, size_t k, FILE *out)
{
    const struct test *t = p->detail;
    struct bench_figures f = bench_figures(b, p, &p->entries[k]);
    double rate = 1e-6 / f.median;
    char time[48], throughput[48];

    fprintf(out, "  %-10s %7.*f M/s %7.1f ns", p->entries[k].lock->name,
            rate < 10    ? 2
            : rate < 100 ? 1
                         : 0,
            rate, f.median * 1e9);
    if (isfinite(f.ratio.ratio) && k != p->baseline)
        fprintf(out, "   time %-22s   throughput %s", stats_text(time, sizeof time, f.ratio, 3),
                stats_text(throughput, sizeof throughput, stats_inverse(f.ratio), 2));
    if (t->tried[k] > 0 && t->threads > 0)
        fprintf(out, "   %.0f %% succeeded", 100.0 * (double)t->succeeded[k] / (double)t->tried[k]);
    fputc('\n', out);
}

void show_points(const struct bench *b, FILE *out)
{
    for (size_t i = 0; i < b->n; i++) {
        const struct bench_point *p = &b->points[i];
        fprintf(out, "\n%s\n", p->title);
        for (size_t k = 0; k < p->n; k++)
            print_entry(b, p, k, out);
    }
    fputs("\nns: per call of all threads together; ratios are to libatomic\n", out);
}

/* The bound is one of time or, as its inverse, of throughput. */
static const char *evaluate(const struct test *t, const struct bench_figures *f)
{
    if (!isfinite(f->ratio.ratio))
        return "not measured";
    return stats_at_most(f->ratio, t->goal == TIME_AT_MOST ? t->bound : 1 / t->bound);
}

static void print_goal(const struct bench_point *p, const struct bench_figures *f, FILE *out)
{
    const struct test *t = p->detail;
    bool time = t->goal == TIME_AT_MOST;
    char text[48];

    stats_text(text, sizeof text, time ? f->ratio : stats_inverse(f->ratio), time ? 3 : 1);
    fprintf(out, "%12s  %s: %s of libatomic's %s; wanted: %s %g\n", evaluate(t, f), p->title, text,
            time ? "time" : "throughput", time ? "at most" : "at least", t->bound);
}

void show_goals(const struct bench *b, FILE *out)
{
    bool any = false;

    for (size_t i = 0; i < b->n; i++) {
        const struct bench_point *p = &b->points[i];
        if (((const struct test *)p->detail)->goal == NO_GOAL)
            continue;
        for (size_t k = 0; k < p->n; k++)
            if (strcmp(p->entries[k].lock->name, "furwock") == 0) {
                struct bench_figures f = bench_figures(b, p, &p->entries[k]);
                fputs(any ? "" : "\ngoals\n", out);
                print_goal(p, &f, out);
                any = true;
            }
    }
}

void describe(const struct bench *b, const struct bench_point *p, const struct bench_entry *e,
              json_t *cell)
{
    const struct test *t = p->detail;
    size_t k = (size_t)(e - p->entries);

    (void)b;
    if (t->goal == TIME_AT_MOST)
        json_object_set_new(cell, "goal", json_pack("{s:f}", "time_at_most", t->bound));
    if (t->goal == TIMES_AT_LEAST)
        json_object_set_new(cell, "goal", json_pack("{s:f}", "times_at_least", t->bound));
    if (t->tried[k] > 0)
        json_object_set_new(cell, "succeeded",
                            json_real((double)t->succeeded[k] / (double)t->tried[k]));
}
