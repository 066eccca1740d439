/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_HISTORY_H
#define FW_ATOMIC_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "words.h"

/*
 * Is a recorded history of one register linearizable?
 *
 * Wing and Gong's search ("Testing and Verifying Concurrent Objects", 1993) with the memory of
 * states that Lowe added ("Testing for Linearizability", 2017): an operation may come next if no
 * other that is still to come ended before it began.  The operations of a thread follow each other,
 * so where a search is, is how many of each thread have been, and the register's value.
 */
enum { HISTORY_THREADS = 4, HISTORY_STEPS = 12 /* of each thread */ };

/* Values are below 256; -1 is none that was ever stored, and equals nothing. */
struct event {
    enum call call;
    int stored;   /* by store, exchange, compare_exchange */
    int expected; /* by compare_exchange */
    int seen;     /* by load, exchange; by a compare_exchange that failed: what it left */
    bool done;    /* of compare_exchange */
    uint64_t begin, end;
};

struct history {
    unsigned n_threads;
    unsigned n[HISTORY_THREADS];
    struct event events[HISTORY_THREADS][HISTORY_STEPS];
    int first; /* the value before all */
};

bool history_is_linearizable(const struct history *h);

void history_print(const struct history *h);

#endif
