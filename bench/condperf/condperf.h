/* SPDX-License-Identifier: MIT */
#ifndef FW_BENCH_CONDPERF_H
#define FW_BENCH_CONDPERF_H

#include <stdbool.h>
#include <stdint.h>

#include "bench.h"

/* A point of the experiment: the number of threads, and how long each holds it once woken. */
struct wakes {
    unsigned waiters;
    unsigned section_us;
    unsigned rounds;
    unsigned cpus; /* on how many; 0: on all */
    bool free;     /* the main thread wakes without holding the mutex */
    bool signal;   /* ... by one signal per waiter */
};

/* Runs one lock through the rounds of a point, as bench.run wants it; detail: struct wakes. */
bool wakes_run(struct bench_point *point, struct bench_entry *entry, struct bench_run *out);

#endif
