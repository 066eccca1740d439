/* SPDX-License-Identifier: MIT */
#ifndef FW_BENCH_WRITERWAIT_H
#define FW_BENCH_WRITERWAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "bench.h"
#include "measure/histogram.h"

/* How long a writer has waited for one lock at one point, over all repetitions. */
struct waits {
    struct histogram all, quiet; /* ns; quiet: nobody lacked a CPU meanwhile */
    uint64_t starved;            /* runs in which the readers had to be stopped */
};

/* One point of the experiment. */
struct flood {
    unsigned readers;
    double section_ns; /* as measured */
    uint64_t section;  /* steps of work */
    uint64_t pause;    /* steps of work of the writer between two waits, on average */
    unsigned writes;   /* in a run */
    struct waits *waits[BENCH_LOCKS_MAX]; /* of each entry of the point */
};

/* A writer that has waited that long starves: the readers are stopped. */
enum { STARVED_MS = 200 };

/* Runs one lock, as bench.run wants it; detail: struct flood. */
bool flood_run(struct bench_point *point, struct bench_entry *entry, struct bench_run *out);

/* The distribution: a table, and in a cell of the result file. */
void flood_print(const struct bench *b, FILE *out);
void flood_describe(const struct bench *b, const struct bench_point *p, const struct bench_entry *e,
                    json_t *cell);

#endif
