/* SPDX-License-Identifier: MIT */
#ifndef FW_BENCH_LIFO_H
#define FW_BENCH_LIFO_H

#include "bench.h"
#include "bench/adapters/libatomics.h"
#include "stack.h"

/* A way to make an object of any size atomic: a lock around each operation, or a library. */
struct primitive {
    ADAPTER_HEAD
    const struct libatomics *calls; /* the shims have only load and compare_exchange */
    const char *compiler;           /* of the stack, and of furwock's library; NULL: of all else */
    const struct stack_code *code;
};

/* Which compiler made what: {"furwock": "gcc 12.2.0", "furwock-clang": "clang 14.0.6"}. */
json_t *primitives_compilers(const struct bench_catalogue *c);

/* What of these there is here, and what is missing; opens the libraries. */
void primitives_offer(struct bench_catalogue *c);

/* One point of the experiment. */
struct load {
    unsigned threads;
    unsigned head;     /* bytes of the stack's head */
    unsigned duration; /* of a run, in ms */
    bool pinned;       /* each thread stays on one CPU, round robin */
};

enum {
    ELEMENTS = 1000, /* to which the seconds of a run belong */
    WARM_PARTS = 8   /* the first of that many parts of the duration does not count */
};

/* Runs a primitive under the load of a point, as bench.run wants it; detail: struct load. */
bool load_run(struct bench_point *point, struct bench_entry *entry, struct bench_run *out);

/* Elements per second by number of threads, absolute and relative to the baseline. */
void show_speeds(const struct bench *b, FILE *out);

#endif
