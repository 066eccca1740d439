/* SPDX-License-Identifier: MIT */
#include "molnar.h"

#include <math.h>

#include "measure/workers.h"

const unsigned molnar_cpus[MOLNAR_CPUS] = {1, 2, 4};

const struct molnar_place molnar_condperf[MOLNAR_PLACES] = {
    {"./cond-perf -r 100 -n 200",
     100,
     200,
     {{"Default NPTL", {0.120, 0.211, 237.407}}, {"requeue NPTL", {0.124, 0.156, 0.040}}}},
    {"./cond-perf -r 1000 -n 100",
     1000,
     100,
     {{"Default NPTL", {0.276, 0.412, 0.530}}, {"requeue NPTL", {0.349, 0.503, 0.550}}}},
};

const struct molnar_place molnar_pp[MOLNAR_PLACES] = {
    {"./pp -v -n 128 -i 1000 -S 32768",
     128,
     1000,
     {{"Default NPTL", {1.111, 1.270, 16.894}}, {"requeue NPTL", {1.111, 1.959, 2.426}}}},
    {"./pp -v -n 1024 -i 10 -S 32768",
     1024,
     10,
     {{"Default NPTL", {0.181, 0.394, INFINITY}}, {"requeue NPTL", {0.166, 0.254, 0.341}}}},
};

void molnar_confine(unsigned cpus, cpu_set_t *before)
{
    cpu_set_t few;

    CPU_ZERO(&few);
    if (sched_getaffinity(0, sizeof *before, before) != 0)
        CPU_ZERO(before);
    if (cpus == 0 || CPU_COUNT(before) == 0)
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE && (unsigned)CPU_COUNT(&few) < cpus; cpu++)
        if (CPU_ISSET(cpu, before))
            CPU_SET(cpu, &few);
    if (sched_setaffinity(0, sizeof few, &few) != 0)
        bench_die("cannot keep threads on %u CPUs", cpus);
}

void molnar_release(const cpu_set_t *before)
{
    if (CPU_COUNT(before) > 0)
        (void)sched_setaffinity(0, sizeof *before, before);
}

size_t molnar_columns(void)
{
    size_t n = 0;

    while (n < MOLNAR_CPUS && molnar_cpus[n] <= cpus_usable())
        n++;
    return n;
}

static void print_row(const char *name, const double *seconds, size_t n, FILE *out)
{
    fprintf(out, "  %-22s", name);
    for (size_t i = 0; i < MOLNAR_CPUS; i++)
        if (i >= n || isnan(seconds[i]))
            fprintf(out, " %10s", "-");
        else if (isinf(seconds[i]))
            fprintf(out, " %10s", "over 2 min");
        else
            fprintf(out, " %9.3fs", seconds[i]);
    fputc('\n', out);
}

/* The points of a place differ in their CPUs only: their locks stand in one order. */
static void print_place(const struct bench *b, const struct bench_point *p,
                        const struct molnar_place *place, double units, FILE *out)
{
    size_t n = molnar_columns();

    fprintf(out, "\n%s\n  %-22s %10s %10s %10s\n", place->command, "", "1p", "2p", "4p");
    for (size_t i = 0; i < 2; i++) {
        char name[32];

        snprintf(name, sizeof name, "2003: %s", place->rows[i].library);
        print_row(name, place->rows[i].seconds, MOLNAR_CPUS, out);
    }
    for (size_t k = 0; k < p->n; k++) {
        double seconds[MOLNAR_CPUS];

        for (size_t i = 0; i < n; i++)
            seconds[i] = units * bench_figures(b, &p[i], &p[i].entries[k]).median;
        print_row(p->entries[k].lock->name, seconds, n, out);
    }
}

void molnar_print(const struct bench *b, const struct molnar_place *places,
                  double (*units)(const struct molnar_place *, const struct bench_point *),
                  FILE *out)
{
    size_t n = molnar_columns();

    if (b->n != n * MOLNAR_PLACES)
        return; /* a point was left out, and that is told */
    for (size_t i = 0; i < MOLNAR_PLACES; i++)
        print_place(b, &b->points[i * n], &places[i], units(&places[i], &b->points[i * n]), out);
    fprintf(out, "\n2003: four Pentium III, 700 MHz (Molnar, \"futex requeueing feature\"); the "
                 "others: this machine today.\nDefault NPTL woke everybody, as wake-all does, and "
                 "the C library again since 2.25.\n");
}
