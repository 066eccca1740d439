/* SPDX-License-Identifier: MIT */
/*
 * Ranks by Zipf's law: rank r is drawn with a probability in proportion to 1 / (r + 1)^zipf.
 *
 * A draw is a search in the table of cumulative probabilities, which takes longer than a section
 * that is to be measured; so all draws are made before, and threads only read them, one after the
 * other.
 */
#include <math.h>
#include <stdlib.h>

#include "lockmix.h"

/* The first rank whose cumulative probability exceeds x. */
static uint32_t rank_of(const double *cumulative, unsigned n, double x)
{
    unsigned low = 0, high = n - 1;

    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (cumulative[middle] > x)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

bool keys_draw(struct keys *k, unsigned n, double zipf, uint64_t seed)
{
    double *cumulative = malloc(n * sizeof *cumulative), sum = 0;
    struct rng random;

    k->drawn = malloc(KEYS_DRAWN * sizeof *k->drawn);
    if (cumulative == NULL || k->drawn == NULL) {
        free(cumulative);
        keys_free(k);
        return false;
    }
    for (unsigned i = 0; i < n; i++)
        cumulative[i] = sum += pow(i + 1.0, -zipf);
    rng_seed(&random, seed);
    for (size_t i = 0; i < KEYS_DRAWN; i++)
        k->drawn[i] = rank_of(cumulative, n, rng_unit(&random) * sum);
    free(cumulative);
    return true;
}

void keys_free(struct keys *k)
{
    free(k->drawn);
    k->drawn = NULL;
}
