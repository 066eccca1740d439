/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "lifo.h"

static const struct load *load_at(const struct bench *b, size_t i)
{
    return b->points[i].detail;
}

static const struct bench_entry *entry_of(const struct bench_point *p, const adapter_head *lock)
{
    for (size_t k = 0; k < p->n; k++)
        if (p->entries[k].lock == lock)
            return &p->entries[k];
    return NULL;
}

/* Millions of elements per second, or how many times the baseline's; NAN: not measured. */
static double speed(const struct bench *b, const struct bench_point *p, const adapter_head *lock,
                    bool relative)
{
    const struct bench_entry *e = entry_of(p, lock);

    if (e == NULL)
        return NAN;
    struct bench_figures f = bench_figures(b, p, e);
    return relative ? 1 / f.ratio.ratio : ELEMENTS / f.median / 1e6;
}

static bool has_head(const struct bench *b, unsigned head, const adapter_head *lock)
{
    for (size_t i = 0; i < b->n; i++)
        if (load_at(b, i)->head == head && entry_of(&b->points[i], lock) != NULL)
            return true;
    return false;
}

static void print_lock(const struct bench *b, unsigned head, const adapter_head *lock,
                       bool relative, FILE *out)
{
    fprintf(out, "  %-18s", lock->name);
    for (size_t i = 0; i < b->n; i++) {
        if (load_at(b, i)->head != head)
            continue;
        double value = speed(b, &b->points[i], lock, relative);
        if (isnan(value))
            fprintf(out, " %7s", "-");
        else
            fprintf(out, " %7.*f", relative ? 2 : 3, value);
    }
    fputc('\n', out);
}

static void print_figure(const struct bench *b, unsigned head, bool relative, FILE *out)
{
    fprintf(out, "\nhead of %u bytes, elements per second, %s\n  %-18s", head,
            relative ? "times the mutex's" : "in millions", "threads");
    for (size_t i = 0; i < b->n; i++)
        if (load_at(b, i)->head == head)
            fprintf(out, " %7u", load_at(b, i)->threads);
    fputc('\n', out);
    for (size_t i = 0; i < b->catalogue.n; i++)
        if (has_head(b, head, b->catalogue.locks[i]))
            print_lock(b, head, b->catalogue.locks[i], relative, out);
}

void show_speeds(const struct bench *b, FILE *out)
{
    for (size_t i = 0; i < b->n; i++) {
        unsigned head = load_at(b, i)->head;
        if (i > 0 && load_at(b, i - 1)->head == head)
            continue;
        print_figure(b, head, false, out);
        print_figure(b, head, true, out);
    }
}
