/* SPDX-License-Identifier: MIT */
#include "stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

void stats_add(struct stats *s, double x)
{
    if (s->n == 0 || x < s->min)
        s->min = x;
    if (s->n == 0 || x > s->max)
        s->max = x;
    s->n++;
    double distance = x - s->mean;
    s->mean += distance / (double)s->n;
    s->m2 += distance * (x - s->mean);
}

double stats_stddev(const struct stats *s)
{
    return s->n < 2 ? 0 : sqrt(s->m2 / (double)(s->n - 1));
}

double stats_coeff(const struct stats *s)
{
    return s->mean == 0 ? 0 : stats_stddev(s) / s->mean;
}

double stats_ci95(const struct stats *s)
{
    if (s->n < STATS_INTERVAL_LEAST)
        return NAN;
    return stats_t95(s->n - 1) * stats_stddev(s) / sqrt((double)s->n);
}

double stats_t95(uint64_t degrees)
{
    static const double small[] = {
        INFINITY, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
        2.201,    2.179,  2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    };

    if (degrees < sizeof small / sizeof *small)
        return small[degrees];

    /* Beyond the table, the first terms of the expansion around the normal distribution's point
     * (Cornish and Fisher; Abramowitz and Stegun 26.7.5): right to three decimals there. */
    const double z = 1.959964;
    double n = (double)degrees;
    return z + (z * z * z + z) / (4 * n) + (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * n * n);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double stats_median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, compare_doubles);
    return n % 2 == 1 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

struct stats_ratio stats_paired_ratio(const double *a, const double *b, size_t n)
{
    struct stats logs = {0};

    for (size_t i = 0; i < n; i++)
        stats_add(&logs, log(a[i] / b[i]));
    double half = stats_ci95(&logs);
    return (struct stats_ratio){
        .ratio = exp(logs.mean), .low = exp(logs.mean - half), .high = exp(logs.mean + half)};
}

/*
 * How many of n sorted numbers lie outside of the median's interval at each end: the most for which
 * the true median lies among them in at most 2.5 % of all cases.  Of how many numbers lie below it
 * the distribution is binomial.  None: not even the least and the greatest are far enough apart.
 */
static bool outside_interval(size_t n, size_t *outside)
{
    double below = 0;

    for (size_t k = 0; k <= n / 2; k++) {
        double d = (double)n, i = (double)k;

        below += exp(lgamma(d + 1) - lgamma(i + 1) - lgamma(d - i + 1) - d * log(2));
        if (below >= 0.025) {
            *outside = k - 1;
            return k > 0;
        }
    }
    return false;
}

struct stats_ratio stats_median_ratio(const double *a, const double *b, size_t n)
{
    double *ratios = malloc(n * sizeof *ratios);
    struct stats_ratio r = {NAN, NAN, NAN};
    size_t outside;

    if (ratios == NULL)
        return r;
    for (size_t i = 0; i < n; i++)
        ratios[i] = a[i] / b[i];
    r.ratio = stats_median(ratios, n);
    if (n >= STATS_INTERVAL_LEAST && outside_interval(n, &outside)) {
        r.low = ratios[outside];
        r.high = ratios[n - 1 - outside];
    }
    free(ratios);
    return r;
}

struct stats_ratio stats_inverse(struct stats_ratio r)
{
    return (struct stats_ratio){1 / r.ratio, 1 / r.high, 1 / r.low};
}

const char *stats_text(char *text, size_t size, struct stats_ratio r, int digits)
{
    if (isfinite(r.low))
        snprintf(text, size, "%.*f (%.*f - %.*f)", digits, r.ratio, digits, r.low, digits, r.high);
    else
        snprintf(text, size, "%.*f (too few)", digits, r.ratio);
    return text;
}

const char *stats_at_least(struct stats_ratio r, double bound)
{
    return r.low >= bound ? "reached" : r.high < bound ? "missed" : "open";
}

const char *stats_at_most(struct stats_ratio r, double bound)
{
    return r.high <= bound ? "reached" : r.low > bound ? "missed" : "open";
}
