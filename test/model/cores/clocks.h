/* SPDX-License-Identifier: MIT */
#ifndef CORES_CLOCKS_H
#define CORES_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "../engine/model.h"

/*
 * The engine performs one operation of one thread at a time; here it is the one that comes first
 * by the clocks of the cores, each of which has its own, and one thread.  An operation is asked
 * for, which tells when it is over (machine.h), and is done then; stores wait in the core's buffer
 * until their line is there.
 */
struct clocks {
    uint64_t now[MODEL_MAX_THREADS]; /* of each thread, in picoseconds */
    uint64_t failed, sleeps, fences; /* compare-and-swaps that failed; since clocks_begin */
};
extern struct clocks clocks;

/* Every thread of model_program stands at its first operation. */
void clocks_begin(void);

/* Lets one thing happen; false where none does before `end`, or model_failure is set. */
bool clocks_go_on(uint64_t end);

#endif
