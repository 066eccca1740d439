/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "measure/rng.h"
#include "rtlatency.h"

enum { FIRST_CAPACITY = 4096, DRAWN_SEED = 1 };

void samples_add(struct samples *s, enum sample_kind kind, double ns)
{
    if (s->n[kind] == s->capacity[kind]) {
        size_t capacity = s->capacity[kind] > 0 ? 2 * s->capacity[kind] : FIRST_CAPACITY;
        float *more = realloc(s->ns[kind], capacity * sizeof *more);
        if (more == NULL)
            bench_die("no memory for %zu samples", capacity);
        s->ns[kind] = more;
        s->capacity[kind] = capacity;
    }
    s->ns[kind][s->n[kind]++] = (float)ns;
}

void samples_free(struct samples *s)
{
    for (int kind = 0; kind < SAMPLE_KINDS; kind++)
        free(s->ns[kind]);
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/* The drawn ones come to the front; the others stay behind them. */
static void draw(float *ns, size_t all, size_t n)
{
    struct rng r;

    rng_seed(&r, DRAWN_SEED);
    for (size_t i = 0; i < n && i + 1 < all; i++) {
        size_t k = i + (size_t)rng_below(&r, (uint32_t)(all - i));
        float one = ns[i];
        ns[i] = ns[k];
        ns[k] = one;
    }
}

struct summary samples_summary(struct samples *s, enum sample_kind kind, size_t n)
{
    struct summary sum = {.n = n, .figure = {NAN, NAN, NAN, NAN}};
    float *ns = s->ns[kind];
    double all = 0;

    if (s->is_summed[kind])
        return s->summary[kind];
    if (s->n[kind] < n)
        sum.n = n = s->n[kind];
    if (n == 0)
        return sum;
    draw(ns, s->n[kind], n);
    for (size_t i = 0; i < n; i++)
        all += (double)ns[i];
    qsort(ns, n, sizeof *ns, by_size);
    sum.figure[AVERAGE] = all / (double)n;
    sum.figure[P99] = (double)ns[(n - 1) * 99 / 100];
    sum.figure[MOST] = (double)ns[n - 1];
    sum.figure[MEDIAN] = (double)ns[(n - 1) / 2];
    s->summary[kind] = sum;
    s->is_summed[kind] = true;
    return sum;
}

double samples_percentile(struct samples *s, enum sample_kind kind, size_t n, double percent)
{
    struct summary sum = samples_summary(s, kind, n);

    return sum.n > 0 ? (double)s->ns[kind][(size_t)((double)(sum.n - 1) * percent / 100)] : NAN;
}
