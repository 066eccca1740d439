/* SPDX-License-Identifier: MIT */
#ifndef FW_BENCH_STRIPES_H
#define FW_BENCH_STRIPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bench.h"

/* Sizes of the table that are compared, in powers of two. */
enum { LOG2_LEAST = 6, LOG2_MOST = 12, LOG2_STEP = 2 };

/* --- sets.c: addresses of objects, as programs have them -------------------------------------- */

enum { OBJECTS_MAX = 1000 };

struct address_set {
    const char *name;
    size_t n;
    size_t stride;      /* 0: allocated */
    size_t least, most; /* bytes of an allocated object */
};
extern const struct address_set address_sets[];
extern const size_t address_sets_n;

/* One of the addresses at which such a set may lie. */
void address_set_make(const struct address_set *set, uint64_t seed, uintptr_t *objects);

/* --- share.c: how often two objects have the same stripe -------------------------------------- */

void share_print(FILE *out);

/* --- cost.c: what that costs, and what a larger table costs ----------------------------------- */

/* What is measured of a rival at a point. */
struct scenario {
    enum { PAIR_STORES, PAIR_LOADS, MANY } kind;
    unsigned threads;
    size_t objects; /* of MANY */
};

/* The rivals: how two threads meet, or how large the table is. */
extern const adapter_head *const meetings[], *const tables[];
extern const char meetings_baseline[], tables_baseline[];

bool cost_run(struct bench_point *point, struct bench_entry *entry, struct bench_run *out);

#endif
