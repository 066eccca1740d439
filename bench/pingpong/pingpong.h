/* SPDX-License-Identifier: MIT */
#ifndef FW_BENCH_PINGPONG_H
#define FW_BENCH_PINGPONG_H

#include <stdbool.h>

#include "bench.h"

/* One point of the experiment. */
struct match {
    unsigned games;
    unsigned iterations; /* of each player: passes of the ball */
    unsigned cpus;       /* on how many; 0: on all */
    bool await;          /* by a conditional critical section, where the lock has such */
};

/* Plays all games of a point with one lock, as bench.run wants it; detail: struct match. */
bool match_run(struct bench_point *point, struct bench_entry *entry, struct bench_run *out);

#endif
