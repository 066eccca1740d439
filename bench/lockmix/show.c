/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "lockmix.h"

#define MEDIAN(b, p, e, member) gauge_median(b, p, e, offsetof(struct gauge, member))

static const struct spot *spot_of(const struct bench_point *p)
{
    return p->detail;
}

/* The highest rate of a lock over all numbers of threads, with the same antagonists. */
static double peak(const struct bench *b, const struct bench_point *p, const adapter_head *lock)
{
    double most = 0;

    for (size_t i = 0; i < b->n; i++) {
        const struct bench_point *other = &b->points[i];
        if (spot_of(other)->mode != spot_of(p)->mode ||
            spot_of(other)->antagonists != spot_of(p)->antagonists)
            continue;
        for (size_t k = 0; k < other->n; k++)
            if (other->entries[k].lock == lock)
                most = fmax(most, MEDIAN(b, other, &other->entries[k], rate));
    }
    return most;
}

static void print_time(double ns, FILE *out)
{
    static const struct {
        double least;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    size_t i = 0;

    while (i + 1 < sizeof units / sizeof *units && ns < units[i].least)
        i++;
    double value = ns / units[i].least;
    fprintf(out, " %5.*f %-2s", value < 9.95 ? 1 : 0, value, units[i].unit);
}

static void print_entry(const struct bench *b, const struct bench_point *p,
                        const struct bench_entry *e, FILE *out)
{
    struct bench_figures f = bench_figures(b, p, e);
    double rate = MEDIAN(b, p, e, rate);
    char text[48];

    fprintf(out, "  %-17s %9.4g", e->lock->name, rate / 1e3);
    if (isfinite(f.ratio.ratio)) /* of times; shown are rates */
        fprintf(out, "  %-21s", stats_text(text, sizeof text, stats_inverse(f.ratio), 3));
    fprintf(out, " %5.2f", rate / peak(b, p, e->lock));
    print_time(MEDIAN(b, p, e, cpu_ns), out);
    fprintf(out, " %6.2f %6.2f %5.2f %5.2f", f.voluntary, f.involuntary, MEDIAN(b, p, e, least),
            MEDIAN(b, p, e, half));
    print_time(MEDIAN(b, p, e, p50), out);
    print_time(MEDIAN(b, p, e, p99), out);
    print_time(MEDIAN(b, p, e, longest), out);
    if (isfinite(e->system_calls))
        fprintf(out, " %6.2f", e->system_calls);
    fputc('\n', out);
}

void show_points(const struct bench *b, FILE *out)
{
    for (size_t i = 0; i < b->n; i++) {
        const struct bench_point *p = &b->points[i];
        fprintf(out, "\n%s\n  %-17s %9s  %-21s %5s %8s %6s %6s %5s %5s %8s %8s %8s%s\n", p->title,
                "", "kop/s", "rate / pthread's", "/peak", "CPU", "vol.", "invol.", "least", "half",
                "p50", "p99", "longest", b->no_system_calls[0] == '\0' ? "  calls" : "");
        for (size_t k = 0; k < p->n; k++)
            print_entry(b, p, &p->entries[k], out);
    }
    fputs("\n/peak: of the lock's own highest rate, over the numbers of threads run here with as "
          "many antagonists\n"
          "CPU: CPU time of all threads per acquisition, sections included\n"
          "least: operations of the thread with the fewest, over those of the one with the most\n"
          "half: share of the busier half of the threads; 0.5: fair\n"
          "p50, p99, longest: time until a lock is acquired, of those that were timed\n",
          out);
}
