/* SPDX-License-Identifier: MIT */
/*
 * The sweep as text plots, "with one plot per each of several duty-cycles" as Hart's: throughput
 * over the number of threads, a letter for each lock.
 */
#include <string.h>

#include "futexlock.h"

enum { HEIGHT = 12, STEP = 7 /* columns from one number of threads to the next */, LETTERS = 26 };

static double speed_of(const struct bench *b, const struct bench_point *p, const adapter_head *lock)
{
    size_t k = hart_index(p, lock->name);

    return k < p->n ? 1 / bench_figures(b, p, &p->entries[k]).median / THOUSAND : 0;
}

static double highest(const struct bench *b, const struct bench_point *p, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < p[i].n; k++) {
            double speed = speed_of(b, &p[i], p[i].entries[k].lock);
            most = speed > most ? speed : most;
        }
    return most;
}

/* Where another has its letter already, the next column, as long as there is one. */
static void put(char *row, size_t column, char letter)
{
    size_t end = column + STEP - 1;

    while (row[column] != ' ' && column < end)
        column++;
    row[column] = letter;
}

void plot_print(const struct bench *b, const struct bench_point *p, size_t n, FILE *out)
{
    double most = highest(b, p, n);
    const struct duty *d = &sweep_detail(p)->duty;
    char rows[HEIGHT + 1][STEP * PLOT_POINTS_MAX + 1];
    char letter = 'a';

    if (n > PLOT_POINTS_MAX || most <= 0)
        return;
    memset(rows, ' ', sizeof rows);
    fprintf(out, "\nperiod %u, duty cycle %u %%: Kiter/s over threads\n", d->period, d->cycle);
    for (size_t k = 0; k < b->catalogue.n && letter < 'a' + LETTERS; k++) {
        bool there = false;

        for (size_t i = 0; i < n; i++) {
            double speed = speed_of(b, &p[i], b->catalogue.locks[k]);

            if (speed > 0)
                put(rows[(size_t)(HEIGHT * speed / most + 0.5)], i * STEP, letter);
            there = there || speed > 0;
        }
        if (there)
            fprintf(out, "  %c %s\n", letter++, b->catalogue.locks[k]->name);
    }
    for (int y = HEIGHT; y >= 0; y--) {
        rows[y][n * STEP] = '\0';
        fprintf(out, "%10.0f | %s\n", most * y / HEIGHT, rows[y]);
    }
    fprintf(out, "%10s   ", "threads");
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%-*u", STEP, sweep_detail(&p[i])->duty.threads);
    fputc('\n', out);
}
