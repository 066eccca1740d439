/* SPDX-License-Identifier: MIT */
#include "histogram.h"

#include <assert.h>
#include <string.h>

/*
 * Values below 2 * STEPS have a bucket each.  Above, the bucket is the position of the highest
 * bit and the STEP_BITS bits after it; counted so that the rows follow each other without a gap.
 */
static unsigned bucket_of(uint64_t value)
{
    if (value < HISTOGRAM_STEPS)
        return (unsigned)value;
    unsigned shift = 63u - (unsigned)__builtin_clzll(value) - HISTOGRAM_STEP_BITS;
    unsigned b = (unsigned)(shift * HISTOGRAM_STEPS) + (unsigned)(value >> shift);
    return b < HISTOGRAM_BUCKETS ? b : HISTOGRAM_BUCKETS - 1;
}

/* The largest value that falls into bucket b. */
static uint64_t bucket_top(unsigned b)
{
    if (b < 2 * HISTOGRAM_STEPS)
        return b;
    unsigned shift = b / HISTOGRAM_STEPS - 1;
    uint64_t step = b - shift * HISTOGRAM_STEPS;
    return ((step + 1) << shift) - 1;
}

void histogram_clear(struct histogram *h)
{
    memset(h, 0, sizeof *h);
}

void histogram_add(struct histogram *h, uint64_t value)
{
    h->n++;
    h->sum += (double)value;
    if (value > h->max)
        h->max = value;
    h->bucket[bucket_of(value)]++;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
    into->n += from->n;
    into->sum += from->sum;
    if (from->max > into->max)
        into->max = from->max;
    for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
        into->bucket[b] += from->bucket[b];
}

uint64_t histogram_percentile(const struct histogram *h, double p)
{
    uint64_t seen = 0;

    assert(p >= 0 && p <= 1);
    for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++) {
        seen += h->bucket[b];
        if (seen > 0 && (double)seen >= p * (double)h->n) {
            uint64_t top = bucket_top(b);
            return top < h->max && b < HISTOGRAM_BUCKETS - 1 ? top : h->max;
        }
    }
    return h->max;
}

double histogram_mean(const struct histogram *h)
{
    return h->n == 0 ? 0 : h->sum / (double)h->n;
}
