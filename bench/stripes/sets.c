/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "measure/rng.h"
#include "stripes.h"

enum { ALIGNMENT = 16, LEAST_PAGE = 4096 };

#define KIB ((size_t)1024)
#define MIB (KIB * KIB)

const struct address_set address_sets[] = {
    {.name = "array of 24 bytes", .n = 1000, .stride = 24},
    {.name = "array of 32 bytes", .n = 1000, .stride = 32},
    {.name = "array of 48 bytes", .n = 1000, .stride = 48},
    {.name = "member of structures of 64 bytes", .n = 1000, .stride = 64},
    {.name = "member of structures of 128 bytes", .n = 1000, .stride = 128},
    {.name = "member of structures of 152 bytes", .n = 1000, .stride = 152},
    {.name = "one on each page of 4 KiB", .n = 1000, .stride = 4 * KIB},
    {.name = "one on each page of 2 MiB", .n = 64, .stride = 2 * MIB},
    {.name = "the same in arenas 64 MiB apart", .n = 64, .stride = 64 * MIB},
    {.name = "the same in stacks of 8 MiB", .n = 64, .stride = 8 * MIB},
    {.name = "the same, with a guard page each", .n = 64, .stride = 8 * MIB + 4 * KIB},
    {.name = "allocated, 24 bytes", .n = 1000, .least = 24, .most = 24},
    {.name = "allocated, 100 bytes", .n = 1000, .least = 100, .most = 100},
    {.name = "allocated, 24 to 256 bytes", .n = 1000, .least = 24, .most = 256},
};
const size_t address_sets_n = sizeof address_sets / sizeof *address_sets;

/* By this process's own allocator, among other allocations of all sizes. */
static void allocate(const struct address_set *set, struct rng *rng, uintptr_t *objects)
{
    static void *blocks[2 * OBJECTS_MAX];

    for (size_t i = 0; i < set->n; i++) {
        size_t more = rng_below(rng, (uint32_t)(set->most - set->least + 1));
        blocks[2 * i] = malloc(set->least + more);
        blocks[2 * i + 1] = rng_below(rng, 4) == 0 ? malloc(rng_below(rng, 300) + 1) : NULL;
        objects[i] = (uintptr_t)blocks[2 * i];
    }
    for (size_t i = 0; i < 2 * set->n; i++)
        free(blocks[i]);
}

void address_set_make(const struct address_set *set, uint64_t seed, uintptr_t *objects)
{
    struct rng rng;

    rng_seed(&rng, seed);
    if (set->stride == 0) {
        allocate(set, &rng, objects);
        return;
    }
    /* Where a system puts heaps and mappings, in the lower half of 47 bits. */
    uint64_t base =
        UINT64_C(0x550000000000) + ((rng_next(&rng) >> 28) & ~(uint64_t)(ALIGNMENT - 1));
    for (size_t i = 0; i < set->n; i++)
        objects[i] = (uintptr_t)(base + i * set->stride);
}
