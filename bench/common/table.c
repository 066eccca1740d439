/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "measure/machine.h"

void bench_print_machine(FILE *out)
{
    struct machine m;

    machine_describe(&m);
    fprintf(out, "%s, %u CPUs%s; %s; %s; %s\n", m.cpu, m.cpus, m.virtual_ ? ", virtual" : "",
            m.kernel, m.libc, m.compiler);
}

/* A time to three or four digits, in the unit that suits it. */
static const char *time_text(char *text, size_t size, double seconds)
{
    static const struct {
        double least;
        const char *name;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
    size_t i = 0;

    while (i + 1 < sizeof units / sizeof *units && seconds < units[i].least)
        i++;
    double value = seconds / units[i].least;
    snprintf(text, size, "%.*f %s", value < 10 ? 2 : value < 100 ? 1 : 0, value, units[i].name);
    return text;
}

static void print_entry(const struct bench *b, const struct bench_point *p,
                        const struct bench_entry *e, FILE *out)
{
    struct bench_figures f = bench_figures(b, p, e);
    char time[32], piece[32], ratio[48] = "";

    fprintf(out, "  %-18s %9s", e->lock->name, time_text(time, sizeof time, f.median));
    if (b->piece != NULL)
        fprintf(out, " %9s", time_text(piece, sizeof piece, f.median / p->pieces));
    if (isfinite(f.ratio.ratio))
        stats_text(ratio, sizeof ratio, f.ratio, 3);
    fprintf(out, "   %-23s", ratio);
    fprintf(out, " %9.2f %9.2f", f.voluntary, f.involuntary);
    if (isfinite(e->system_calls))
        fprintf(out, " %9.2f", e->system_calls);
    if (e->faults > 0)
        fprintf(out, "   %s (%u)", e->fault, e->faults);
    fputc('\n', out);
}

static void print_point(const struct bench *b, const struct bench_point *p, FILE *out)
{
    const struct bench_entry *best = bench_best_rival(b, p);
    const char *baseline = p->baseline < p->n ? p->entries[p->baseline].lock->name : "";
    bool calls = p->n > 0 && isfinite(p->entries[0].system_calls);
    char heading[48];

    snprintf(heading, sizeof heading, *baseline != '\0' ? "ratio to %s" : "%s", baseline);
    fprintf(out, "\n%s%s%s\n", p->title, best != NULL ? "; best rival: " : "",
            best != NULL ? best->lock->name : "");
    fprintf(out, "  %-18s %9s", "", b->unit);
    if (b->piece != NULL)
        fprintf(out, " %9s", b->piece);
    fprintf(out, "   %-23s %9s %9s%s\n", heading, "vol.", "invol.", calls ? "     calls" : "");
    for (size_t k = 0; k < p->n; k++)
        print_entry(b, p, &p->entries[k], out);
}

static const struct bench_entry *entry_of(const struct bench_point *p, const char *name)
{
    for (size_t k = 0; k < p->n; k++)
        if (strcmp(p->entries[k].lock->name, name) == 0)
            return &p->entries[k];
    return NULL;
}

/*
 * The geometric mean over all points of a lock's ratio to the baseline, or to the best rival of
 * each: one number of each repetition, and the median of these.
 */
static bool over_all(const struct bench *b, const char *name, bool to_best, struct stats_ratio *r)
{
    double *mine = calloc(b->finished, sizeof *mine), *others = calloc(b->finished, sizeof *others);
    size_t n = 0;

    for (size_t i = 0; mine != NULL && others != NULL && i < b->n; i++) {
        const struct bench_point *p = &b->points[i];
        const struct bench_entry *e = entry_of(p, name);
        const struct bench_entry *against = to_best              ? bench_best_rival(b, p)
                                            : p->baseline < p->n ? &p->entries[p->baseline]
                                                                 : NULL;
        if (e == NULL || against == NULL)
            continue;
        for (unsigned k = 0; k < b->finished; k++) {
            mine[k] += log(e->runs[k].seconds);
            others[k] += log(against->runs[k].seconds);
        }
        n++;
    }
    for (unsigned k = 0; n > 0 && k < b->finished; k++) {
        mine[k] = exp(mine[k] / (double)n);
        others[k] = exp(others[k] / (double)n);
    }
    if (n > 0)
        *r = stats_median_ratio(mine, others, b->finished);
    free(mine);
    free(others);
    return n > 0;
}

static void print_over_all(const struct bench *b, FILE *out)
{
    fputs("\nover all points, geometric mean\n", out);
    fprintf(out, "  %-18s   %-23s   %-23s\n", "", "ratio to the baseline",
            "ratio to each best rival");
    for (size_t i = 0; i < b->catalogue.n; i++) {
        const char *name = b->catalogue.locks[i]->name;
        struct stats_ratio r;
        char text[48];
        bool again = false;

        for (size_t k = 0; k < i; k++)
            again = again || strcmp(b->catalogue.locks[k]->name, name) == 0;
        if (again || !over_all(b, name, false, &r))
            continue;
        fprintf(out, "  %-18s   %-23s", name, stats_text(text, sizeof text, r, 3));
        if (over_all(b, name, true, &r))
            fprintf(out, "   %s", stats_text(text, sizeof text, r, 3));
        fputc('\n', out);
    }
}

/* The lock's calls of membarrier per second, of the point where there were most; NAN: unknown. */
static double most_fences(const struct bench *b, const adapter_head *lock)
{
    double most = NAN;

    for (size_t i = 0; i < b->n; i++)
        for (size_t k = 0; k < b->points[i].n; k++) {
            const struct bench_entry *e = &b->points[i].entries[k];
            if (e->lock == lock && isfinite(e->fences) && !(most >= e->fences))
                most = e->fences;
        }
    return most;
}

/* One line for all points, whoever prints those: most locks make no such call. */
static void print_fences(const struct bench *b, FILE *out)
{
    const char *before = "";
    bool counted = false;

    for (size_t i = 0; i < b->catalogue.n; i++) {
        double most = most_fences(b, b->catalogue.locks[i]);

        if (isnan(most))
            continue;
        if (!counted)
            fputs("fences (calls of membarrier(2), each of which interrupts the CPUs that run the "
                  "process), in a\nsecond, where there were most: ",
                  out);
        counted = true;
        if (most <= 0)
            continue;
        fprintf(out, "%s%s %.0f", before, b->catalogue.locks[i]->name, most);
        before = ", ";
    }
    if (counted)
        fputs(*before == '\0' ? "none\n" : "; others none\n", out);
}

void bench_print(const struct bench *b, FILE *out)
{
    bench_print_machine(out);
    fprintf(out, "%s: %u repetitions, interleaved\n", b->name, b->finished);
    if (b->print_points != NULL)
        b->print_points(b, out);
    for (size_t i = 0; b->print_points == NULL && i < b->n; i++)
        print_point(b, &b->points[i], out);
    if (b->n > 1)
        print_over_all(b, out);
    if (b->print_more != NULL)
        b->print_more(b, out);
    fprintf(out,
            "\nratio: the median over the repetitions, with its 95 %% confidence interval,\n"
            "for which there have to be six\n"
            "vol., invol.: context switches per %s, of all threads but the main one\n",
            b->piece != NULL ? b->piece : b->unit);
    print_fences(b, out);
    if (b->no_system_calls[0] != '\0')
        fprintf(out, "system calls: not counted; %s\n", b->no_system_calls);
    for (size_t i = 0; i < b->n_notes; i++)
        fprintf(out, "note: %s\n", b->notes[i]);
    for (size_t i = 0; i < b->catalogue.n_missing; i++)
        fprintf(out, "missing: %s (%s)\n", b->catalogue.missing[i]->name,
                b->catalogue.missing[i]->why);
}
