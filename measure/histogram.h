/* SPDX-License-Identifier: MIT */
#ifndef FW_MEASURE_HISTOGRAM_H
#define FW_MEASURE_HISTOGRAM_H

#include <stdint.h>

/*
 * A histogram of durations with a constant relative error: each power of two is cut into 32 equal
 * steps, so a percentile is at most 1/32 (3 %) above the truth.  (The log-linear scheme of Gil
 * Tene's HdrHistogram.)  Plain data: lies in shared memory as well as anywhere; one writer at a
 * time.
 */
enum {
    HISTOGRAM_STEP_BITS = 5,
    HISTOGRAM_STEPS = 1 << HISTOGRAM_STEP_BITS,
    HISTOGRAM_POWERS = 42, /* up to 2^42 ns, more than an hour; what is longer counts as that */
    HISTOGRAM_BUCKETS = (HISTOGRAM_POWERS - HISTOGRAM_STEP_BITS + 1) * HISTOGRAM_STEPS
};

struct histogram {
    uint64_t n;
    uint64_t max;
    double sum;
    uint32_t bucket[HISTOGRAM_BUCKETS];
};

void histogram_clear(struct histogram *h);
void histogram_add(struct histogram *h, uint64_t value);
void histogram_merge(struct histogram *into, const struct histogram *from);

/* The value that a fraction p (0 to 1) of all values do not exceed; 0 for an empty histogram. */
uint64_t histogram_percentile(const struct histogram *h, double p);
double histogram_mean(const struct histogram *h);

#endif
