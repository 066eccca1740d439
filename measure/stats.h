/* SPDX-License-Identifier: MIT */
#ifndef FW_MEASURE_STATS_H
#define FW_MEASURE_STATS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Of fewer numbers no interval is told, whichever its kind: from the least to the greatest of five
 * is no 95 % interval of their median.  The same in tools/fwreport and bench/ulockflex.
 */
enum { STATS_INTERVAL_LEAST = 6 };

/* Mean and spread of a series of numbers, one by one (Welford, 1962). All zeroes: empty. */
struct stats {
    uint64_t n;
    double mean;
    double m2; /* sum of the squared distances from the mean */
    double min;
    double max;
};

void stats_add(struct stats *s, double x);
double
stats_stddev(const struct stats *s);       /* of the sample (n - 1); 0 for fewer than two numbers */
double stats_coeff(const struct stats *s); /* standard deviation / mean; 0 where the mean is 0 */
double stats_ci95(const struct stats *s);  /* half the 95 % interval of the mean; NAN: n is small */

/* Student's t: the two-sided 95 % point for that many degrees of freedom. */
double stats_t95(uint64_t degrees);

/* The middle of n > 0 numbers; sorts them. */
double stats_median(double *x, size_t n);

/*
 * The ratio of two series measured side by side (a[i] right before or after b[i]): geometric mean
 * of a[i] / b[i], and the 95 % confidence interval, from the logarithms.  All numbers positive,
 * and n at least 1.  Without an interval, low and high are NAN.
 */
struct stats_ratio {
    double ratio;
    double low;
    double high;
};
struct stats_ratio stats_paired_ratio(const double *a, const double *b, size_t n);

/*
 * The same by the median of a[i] / b[i] and its distribution-free interval (order statistics, the
 * sign test): for noisy machines, as an outlier counts no more than any other value.
 */
struct stats_ratio stats_median_ratio(const double *a, const double *b, size_t n);

/* b to a, where r is a to b. */
struct stats_ratio stats_inverse(struct stats_ratio r);

/* "1.03 (0.98 - 1.07)", or what is printed if there is no interval. */
const char *stats_text(char *text, size_t size, struct stats_ratio r, int digits);

/* "reached" where all of the interval is on that side of the bound, "missed" where none of it is;
 * else, and without an interval, "open". */
const char *stats_at_least(struct stats_ratio r, double bound);
const char *stats_at_most(struct stats_ratio r, double bound);

#endif
