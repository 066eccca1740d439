/* SPDX-License-Identifier: MIT */
#ifndef CORES_RUN_H
#define CORES_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "locks.h"
#include "machine.h"

/*
 * One lock, and a thread on each core that wants it again and again: lock; add one to a counter
 * beside the lock, or read it; work; unlock; work.  The same arguments give the same figures.
 */
struct run_plan {
    unsigned cores, nodes;
    uint64_t inside,
        outside;       /* of work, in picoseconds; that outside is even up to twice as long */
    unsigned reads;    /* percent, which only read */
    uint64_t duration; /* after a tenth of it, which is not counted */
    uint64_t seed;
};

struct run_result {
    double per_second;
    double ideal; /* part of what a lock does that passes one line on, and the counter's line, and
                     in which those that read take no time from others */
    double misses, far; /* lines that came to a core, and those from another node, per passage */
    double hand_over;   /* from the call that unlocks until a thread that waited has the lock: ns */
    double longest_wait;           /* ns */
    double variation;              /* of passages among threads */
    double failed, sleeps, fences; /* compare-and-swaps that failed, and so on, per passage */
};

/* False: the lock failed, as model_failure says. */
bool run_lock(const struct cores_lock *lock, const struct run_plan *plan, struct run_result *r);

#endif
