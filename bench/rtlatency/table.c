/* SPDX-License-Identifier: MIT */
/*
 * Table 1 of the paper: average, 99th percentile and maximum of lock and unlock, where nobody was
 * in the way and where somebody was.  The paper's cycles are those of a processor of 1 GHz, so they
 * are its nanoseconds.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rtlatency.h"

static const char *const kind_names[SAMPLE_KINDS] = {
    "lock, free",
    "unlock, nobody waits",
    "lock, taken",
    "unlock, somebody waits",
    "unlock, nobody waits, the lock was free",
    "unlock, nobody waits, the lock was taken",
    "clock: nothing between two readings, which are in each figure above",
    "scheduling: a job has ended, and the next begins"};
static const char *const kind_keys[SAMPLE_KINDS] = {
    "lock_free",      "unlock_free",   "lock_taken", "unlock_taken",
    "unlock_at_once", "unlock_waited", "clock",      "scheduling"};
static const char *const figure_names[FIGURES] = {"average", "99 %", "most", "50 %"};
static const enum figure shown[FIGURES] = {AVERAGE, MEDIAN, P99, MOST};
static const char *const figure_keys[FIGURES] = {"average", "p99", "most", "median"};

static const struct spot *spot_of(const struct bench_point *p)
{
    return p->detail;
}

/* Under some protocols a lock is hardly ever found taken: their few do not count for the others. */
static bool is_rare(size_t n, size_t most)
{
    return n < most / 10;
}

static size_t samples_most(const struct bench_point *p, enum sample_kind kind)
{
    size_t most = 0;

    for (size_t k = 0; k < p->n; k++)
        if (spot_of(p)->samples[k].n[kind] > most)
            most = spot_of(p)->samples[k].n[kind];
    return most;
}

size_t samples_common(const struct bench_point *p, enum sample_kind kind)
{
    size_t least = 0, most = samples_most(p, kind);

    for (size_t k = 0; k < p->n; k++) {
        size_t n = spot_of(p)->samples[k].n[kind];
        if (n > 0 && !is_rare(n, most) && (least == 0 || n < least))
            least = n;
    }
    return least;
}

const struct bench_entry *entry_of(const struct bench_point *p, const char *name)
{
    for (size_t k = 0; name != NULL && k < p->n; k++)
        if (strcmp(p->entries[k].lock->name, name) == 0)
            return &p->entries[k];
    return NULL;
}

static double value_of(const struct bench_point *p, const struct bench_entry *e,
                       enum sample_kind kind, enum figure figure)
{
    struct samples *s = &spot_of(p)->samples[e - p->entries];

    return samples_summary(s, kind, samples_common(p, kind)).figure[figure];
}

static unsigned published(const char *name, enum sample_kind kind, enum figure figure)
{
    for (size_t i = 0; name != NULL && i < n_variants; i++)
        if (strcmp(variants[i].head.name, name) == 0)
            return variants[i].paper[kind][figure];
    return 0;
}

/* "1234 (+5%)", against what the column is compared with. */
static void cell(FILE *out, double value, double against)
{
    char text[32];

    if (!isfinite(value) || value <= 0)
        snprintf(text, sizeof text, "-");
    else if (!isfinite(against) || against <= 0)
        snprintf(text, sizeof text, "%.0f", value);
    else
        snprintf(text, sizeof text, "%.0f (%+.0f%%)", value, 100 * (value / against - 1));
    fprintf(out, " %15s", text);
}

static void row(const struct bench_point *p, enum sample_kind kind, enum figure figure, FILE *out)
{
    fprintf(out, "  %-24s", figure_names[figure]);
    for (size_t k = 0; k < p->n; k++) {
        const struct bench_entry *other = entry_of(p, variant_of(&p->entries[k])->compared);
        cell(out, value_of(p, &p->entries[k], kind, figure),
             other != NULL ? value_of(p, other, kind, figure) : NAN);
    }
    if (figure == MEDIAN || kind >= PAPER_KINDS) {
        fputc('\n', out);
        return;
    }
    fprintf(out, "\n  %-24s", "   in the paper");
    for (size_t k = 0; k < p->n; k++) {
        const struct variant *v = variant_of(&p->entries[k]);
        cell(out, v->paper[kind][figure], published(v->compared, kind, figure));
    }
    fputc('\n', out);
}

static void print_counts(const struct bench_point *p, enum sample_kind kind, FILE *out)
{
    fprintf(out, "  %s: %zu samples each", kind_names[kind], samples_common(p, kind));
    for (size_t k = 0; k < p->n; k++) {
        size_t n = spot_of(p)->samples[k].n[kind];
        if (n > 0 && is_rare(n, samples_most(p, kind)))
            fprintf(out, ", of %s %zu", p->entries[k].lock->name, n);
    }
    fputc('\n', out);
}

static void print_tasks(const struct bench_point *p, FILE *out)
{
    fprintf(out, "\n%s: %s\n  %-24s", p->title, spot_of(p)->unit, "");
    for (size_t k = 0; k < p->n; k++)
        fprintf(out, " %15s", p->entries[k].lock->name);
    fputc('\n', out);
    for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
        print_counts(p, (enum sample_kind)kind, out);
        for (int i = 0; i < FIGURES; i++)
            row(p, kind, shown[i], out);
    }
    distribution_print(p, out);
}

static void print_pairs(const struct bench *b, const struct bench_point *p, FILE *out)
{
    fprintf(out, "\n%s\n  %-14s %9s %10s   %-23s %9s\n", p->title, "", "pair", "lowest",
            "ratio to PRIO_INHERIT", "calls");
    for (size_t k = 0; k < p->n; k++) {
        const struct bench_entry *e = &p->entries[k];
        struct bench_figures f = bench_figures(b, p, e);
        double lowest = INFINITY;
        char text[48];

        for (unsigned i = 0; i < b->finished; i++)
            lowest = fmin(lowest, e->runs[i].seconds);
        fprintf(out, "  %-14s %6.1f ns %7.1f ns   %-23s", e->lock->name, f.median * 1e9,
                lowest * 1e9, stats_text(text, sizeof text, f.ratio, 3));
        if (isfinite(e->system_calls))
            fprintf(out, " %9.3f\n", e->system_calls);
        else
            fprintf(out, " %9s\n", "-");
    }
}

void table_print(const struct bench *b, FILE *out)
{
    for (size_t i = 0; i < b->n; i++)
        if (spot_of(&b->points[i])->is_pairs)
            print_pairs(b, &b->points[i], out);
        else
            print_tasks(&b->points[i], out);
}

void table_describe(const struct bench *b, const struct bench_point *p, const struct bench_entry *e,
                    json_t *cell)
{
    json_t *all = json_object();

    (void)b;
    if (spot_of(p)->is_pairs) {
        json_decref(all);
        return;
    }
    for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
        struct samples *s = &spot_of(p)->samples[e - p->entries];
        struct summary sum = samples_summary(s, kind, samples_common(p, kind));
        json_t *one = json_pack("{s:I s:I}", "n", (json_int_t)sum.n, "of", (json_int_t)s->n[kind]);
        for (int f = 0; f < FIGURES; f++) {
            char key[32];
            snprintf(key, sizeof key, "paper_%s", figure_keys[f]);
            json_object_set_new(one, figure_keys[f],
                                sum.n > 0 ? json_real(sum.figure[f]) : json_null());
            if (kind < PAPER_KINDS && variant_of(e)->paper[kind][f] > 0)
                json_object_set_new(one, key, json_integer(variant_of(e)->paper[kind][f]));
        }
        if (kind == SCHEDULE)
            json_object_set_new(one, "cdf", distribution_json(p, e));
        json_object_set_new(all, kind_keys[kind], one);
    }
    json_object_set_new(cell, "ns", all);
}
