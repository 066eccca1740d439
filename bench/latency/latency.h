/* SPDX-License-Identifier: MIT */
#ifndef FW_BENCH_LATENCY_H
#define FW_BENCH_LATENCY_H

#include <stdbool.h>

#include "bench.h"

enum object { SEMAPHORE, EVENT, AUTOMATIC_EVENT, BARRIER };

enum how {
    ALONE,    /* nobody else: post and wait; set, wait and reset; a barrier of one */
    HAND_OFF, /* two threads in turns, each with an object to wait on */
    ROUND     /* all parties meet at a barrier */
};

/* One point of the experiment. */
struct test {
    enum object object;
    enum how how;
    unsigned parties;
};

/* Runs one lock through a test, as bench.run wants it; detail: struct test. */
bool test_run(struct bench_point *point, struct bench_entry *entry, struct bench_run *out);

#endif
