/* SPDX-License-Identifier: MIT */
#include "rng.h"

/* splitmix64 (Steele, Lea and Flood, OOPSLA 2014): spreads any seed, 0 included, over 256 bits. */
void rng_seed(struct rng *r, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        uint64_t z = (seed += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        r->s[i] = z ^ (z >> 31);
    }
}
