/* SPDX-License-Identifier: MIT */
#ifndef FW_MEASURE_RNG_H
#define FW_MEASURE_RNG_H

#include <stdint.h>

/*
 * Random numbers: xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number
 * generators", 2021), seeded by splitmix64.  One generator per task; equal seeds give equal
 * series.
 */
struct rng {
    uint64_t s[4];
};

void rng_seed(struct rng *r, uint64_t seed);

static inline uint64_t rng_rotate_(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

static inline uint64_t rng_next(struct rng *r)
{
    uint64_t result = rng_rotate_(r->s[0] + r->s[3], 23) + r->s[0];
    uint64_t t = r->s[1] << 17;

    r->s[2] ^= r->s[0];
    r->s[3] ^= r->s[1];
    r->s[1] ^= r->s[2];
    r->s[0] ^= r->s[3];
    r->s[2] ^= t;
    r->s[3] = rng_rotate_(r->s[3], 45);
    return result;
}

/* 0 <= x < n, for n > 0: the upper half of a product; even enough for n far below 2^32. */
static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
    return (uint32_t)(((rng_next(r) >> 32) * n) >> 32);
}

/* Uniform in [0, 1). */
static inline double rng_unit(struct rng *r)
{
    return (double)(rng_next(r) >> 11) * 0x1p-53;
}

/* Uniform between low and high. */
static inline double rng_between(struct rng *r, double low, double high)
{
    return low + (high - low) * rng_unit(r);
}

#endif
