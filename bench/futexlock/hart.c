/* SPDX-License-Identifier: MIT */
/* What Hart published, beside what was measured here. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "futexlock.h"
#include "measure/stats.h"

enum { PER_CENT = 100 };

/* "./futex_lock -i100000000 -n8 -p1000 -d10", without and with -a. */
static const struct {
    const char *name;
    double kiter;              /* thousand iterations per second */
    double locking, unlocking; /* system calls, per cent of the calls */
} published[] = {
    {"normal", 606, 35.73, 41.74},
    {"adaptive", 749, 72.26, 72.27},
};

enum { PUBLISHED = sizeof published / sizeof *published };

static const struct duty place = {.threads = 8, .period = 1000, .cycle = 10};

bool hart_measured(const struct duty *d)
{
    return d->threads == place.threads && d->period == place.period && d->cycle == place.cycle;
}

void hart_print_run(const struct duty *d, FILE *out)
{
    if (!hart_measured(d))
        return;
    for (size_t i = 0; i < PUBLISHED; i++)
        fprintf(out, "Hart, 2010:      %s: %.0f Kiter/s; lock syscalls %.2f%%, unlock %.2f%%\n",
                published[i].name, published[i].kiter, published[i].locking,
                published[i].unlocking);
}

static void print_share(double per_iteration, FILE *out)
{
    if (isfinite(per_iteration))
        fprintf(out, " %9.2f%%", PER_CENT * per_iteration);
    else
        fprintf(out, " %10s", "-");
}

/* Of throughput, `other` being the lock whose is 1. */
static void print_times(const struct bench *b, const struct bench_point *p, size_t k,
                        const char *other, FILE *out)
{
    size_t base = hart_index(p, other);
    char text[48] = "-";

    if (base < p->n)
        stats_text(text, sizeof text, hart_times(b, &p->entries[base], &p->entries[k]), 2);
    fprintf(out, "   %-20s", text);
}

static void print_table(const struct bench *b, const struct bench_point *p, FILE *out)
{
    const struct spent *spent = sweep_detail(p)->spent;
    char heading[32];

    snprintf(heading, sizeof heading, "of %s", lock_normal);
    fprintf(out,
            "\nHart's run, -n%u -p%u -d%u: throughput, and system calls per cent of the calls\n"
            "  %-20s %8s %10s %10s   %-20s   of pthread\n",
            place.threads, place.period, place.cycle, "", "Kiter/s", "lock", "unlock", heading);
    for (size_t i = 0; i < PUBLISHED; i++) {
        char name[32];

        snprintf(name, sizeof name, "Hart 2010, %s", published[i].name);
        fprintf(out, "  %-20s %8.0f %9.2f%% %9.2f%%   %-20.2f   -\n", name, published[i].kiter,
                published[i].locking, published[i].unlocking,
                published[i].kiter / published[0].kiter);
    }
    for (size_t k = 0; k < p->n; k++) {
        fprintf(out, "  %-20s %8.0f", p->entries[k].lock->name,
                1 / bench_figures(b, p, &p->entries[k]).median / THOUSAND);
        print_share(spent[k].lock_calls, out);
        print_share(spent[k].unlock_calls, out);
        print_times(b, p, k, lock_normal, out);
        print_times(b, p, k, "pthread", out);
        fputc('\n', out);
    }
}

void hart_print_table(const struct bench *b, FILE *out)
{
    for (size_t i = 0; i < b->n; i++)
        if (hart_measured(&sweep_detail(&b->points[i])->duty))
            print_table(b, &b->points[i], out);
}

size_t hart_index(const struct bench_point *p, const char *name)
{
    size_t k = 0;

    while (k < p->n && strcmp(p->entries[k].lock->name, name) != 0)
        k++;
    return k;
}

struct stats_ratio hart_times(const struct bench *b, const struct bench_entry *above,
                              const struct bench_entry *below)
{
    double *a = calloc(b->finished, sizeof *a), *c = calloc(b->finished, sizeof *c);

    if (a == NULL || c == NULL)
        bench_die("no memory");
    for (unsigned i = 0; i < b->finished; i++) {
        a[i] = above->runs[i].seconds;
        c[i] = below->runs[i].seconds;
    }
    struct stats_ratio r = stats_median_ratio(a, c, b->finished);
    free(a);
    free(c);
    return r;
}
