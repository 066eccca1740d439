/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_ATOMIC_REGION_H
#define FW_TEST_ATOMIC_REGION_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/rng.h"

/*
 * Memory, and what the model says is in it.  An operation is done on the one and imitated on the
 * other; then the two have to be equal, in every byte: what lies around an object is its canary.
 * Before and behind the memory are pages that nobody may touch.
 */
struct region {
    unsigned char *memory;
    unsigned char *model;
    size_t size;
};

struct region region_new(size_t pages);

/* New contents, in both. */
void region_fill(struct region *r, struct rng *random, size_t at, size_t n);

/* May the memory be written to? */
void region_protect(const struct region *r, bool writable);

/* Where the two differ between two places (the end may lie behind the region); size, if nowhere. */
size_t region_difference(const struct region *r, size_t from, size_t to);

#endif
