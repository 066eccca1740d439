/* SPDX-License-Identifier: MIT */
#ifndef FW_BENCH_READERS_H
#define FW_BENCH_READERS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench.h"
#include "bench/adapters/rw_adapter.h"

/* One point of the experiment. */
struct load {
    unsigned cores;   /* one reader on each */
    uint64_t section; /* steps of work in a read section; 0: none */
    uint64_t run_ns;
};

/* Runs one lock, as bench.run wants it; detail: struct load. */
bool readers_run(struct bench_point *point, struct bench_entry *entry, struct bench_run *out);

/* Readers that share nothing: what the machine's cores do to each other without any lock. */
extern const struct rw_adapter reference_own;

#endif
