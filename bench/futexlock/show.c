/* SPDX-License-Identifier: MIT */
/* The sweep in tables: for each duty cycle a row for each lock, a column for each thread count. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "futexlock.h"
#include "measure/stats.h"

enum { PER_CENT = 100, WIDE = 1000 /* per cent: an interval that says nothing */ };

static bool same_plot(const struct bench_point *p, const struct bench_point *q)
{
    const struct duty *a = &sweep_detail(p)->duty, *b = &sweep_detail(q)->duty;

    return a->period == b->period && a->cycle == b->cycle;
}

static const struct bench_entry *entry_of(const struct bench_point *p, const adapter_head *lock)
{
    for (size_t k = 0; k < p->n; k++)
        if (p->entries[k].lock == lock)
            return &p->entries[k];
    return NULL;
}

/* Thousand iterations per second, and half of the interval's width in per cent. */
static void print_speed(const struct bench *b, const struct bench_point *p,
                        const struct bench_entry *e, FILE *out)
{
    struct bench_figures f = bench_figures(b, p, e);
    char text[32];

    double half = PER_CENT * (f.high - f.low) / 2 / f.median;
    if (!isfinite(half))
        snprintf(text, sizeof text, "%.0f", 1 / f.median / THOUSAND);
    else if (half < WIDE)
        snprintf(text, sizeof text, "%.0f~%.0f", 1 / f.median / THOUSAND, half);
    else
        snprintf(text, sizeof text, "%.0f~wide", 1 / f.median / THOUSAND);
    fprintf(out, " %8s", text);
}

/* CPU time per iteration beyond that of the instructions, ns. */
static void print_burnt(const struct bench *b, const struct bench_point *p,
                        const struct bench_entry *e, FILE *out)
{
    const struct spent *s = &sweep_detail(p)->spent[e - p->entries];
    double *copy = malloc((b->finished > 0 ? b->finished : 1) * sizeof *copy);

    if (copy == NULL)
        bench_die("no memory");
    memcpy(copy, s->burnt_seconds, b->finished * sizeof *copy);
    fprintf(out, " %8.0f", BILLION * stats_median(copy, b->finished));
    free(copy);
}

typedef void (*cell_printer)(const struct bench *, const struct bench_point *,
                             const struct bench_entry *, FILE *);

/* The points from `first` on that are in its plot, and how many these are. */
static size_t plot_size(const struct bench *b, size_t first)
{
    size_t n = 1;

    while (first + n < b->n && same_plot(&b->points[first], &b->points[first + n]))
        n++;
    return n;
}

static void print_plot(const struct bench *b, const struct bench_point *p, size_t n,
                       cell_printer print, FILE *out)
{
    fprintf(out, "  %-18s", "threads");
    for (size_t i = 0; i < n; i++)
        fprintf(out, " %8u", sweep_detail(&p[i])->duty.threads);
    fputc('\n', out);
    for (size_t k = 0; k < b->catalogue.n; k++) {
        const adapter_head *lock = b->catalogue.locks[k];
        bool there = false;

        for (size_t i = 0; i < n; i++)
            there = there || entry_of(&p[i], lock) != NULL;
        if (!there)
            continue;
        fprintf(out, "  %-18s", lock->name);
        for (size_t i = 0; i < n; i++) {
            const struct bench_entry *e = entry_of(&p[i], lock);
            if (e != NULL)
                print(b, &p[i], e, out);
            else
                fprintf(out, " %8s", "-");
        }
        fputc('\n', out);
    }
}

static void print_ideal(const struct bench_point *p, size_t n, FILE *out)
{
    fprintf(out, "  %-18s", "(ideal)");
    for (size_t i = 0; i < n; i++)
        fprintf(out, " %8.0f", ideal_speed(&sweep_detail(&p[i])->duty) / THOUSAND);
    fputc('\n', out);
}

static void print_plots(const struct bench *b, const char *what, cell_printer print, FILE *out)
{
    for (size_t i = 0, n; i < b->n; i += n) {
        const struct duty *d = &sweep_detail(&b->points[i])->duty;

        n = plot_size(b, i);
        fprintf(out, "\nperiod %u, duty cycle %u %%: %s\n", d->period, d->cycle, what);
        print_plot(b, &b->points[i], n, print, out);
        if (print == print_speed)
            print_ideal(&b->points[i], n, out);
    }
}

void show_nothing(const struct bench *b, FILE *out)
{
    (void)b;
    (void)out;
}

void show_tables(const struct bench *b, FILE *out)
{
    print_plots(b, "Kiter/s, and half of the 95 % interval's width in per cent", print_speed, out);
    for (size_t i = 0, n; i < b->n; i += n) {
        n = plot_size(b, i);
        if (n > 1)
            plot_print(b, &b->points[i], n, out);
    }
    print_plots(b, "CPU time burnt, ns per iteration", print_burnt, out);
    fputs("\nburnt: beyond the time that the instructions alone take\n"
          "(ideal): a lock that costs nothing, on CPUs that nobody else uses\n",
          out);
}

void show_rest(const struct bench *b, FILE *out)
{
    if (b->print_points == NULL)
        show_tables(b, out);
    if (b->print_points != show_nothing)
        hart_print_table(b, out);
    outcome_print(b, out);
}
