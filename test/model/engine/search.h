/* SPDX-License-Identifier: MIT */
#ifndef MODEL_SEARCH_H
#define MODEL_SEARCH_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "model.h"
#include "step.h"

/*
 * Breadth-first search through all states of a program.  Checked in every state:
 *  - no check of the program, the memory or the sources failed on the way there;
 *  - a state in which nothing happens any more has all threads finished, and passes finished();
 *  - a state in which only whims of the environment can help has nobody asleep ("lost wake-up").
 * And at the end, for the graph as a whole:
 *  - from each state all threads can finish without a whim of the environment ("no way to finish").
 */
#define SEARCH_UNBOUNDED STEP_UNBOUNDED

struct search_limits {
    uint32_t preemptions; /* SEARCH_UNBOUNDED: every schedule */
    uint32_t states;
    const struct model_failure *only; /* where others are met, go on elsewhere; NULL: any */
};

enum search_outcome { SEARCH_PASSED, SEARCH_FAILED, SEARCH_TOO_LARGE };

struct search_result {
    enum search_outcome outcome;
    struct model_failure failure;
    struct model_choice *schedule; /* to the failure; malloc */
    unsigned length;
    uint32_t preemptions; /* the bound under which the schedule was found, or SEARCH_UNBOUNDED */
    uint32_t states, parts, ends;
    uint32_t walks; /* 0, or the last of these has found it: walk.h */
    uint64_t steps, bytes;
    unsigned depth; /* the longest of the shortest schedules */
    double seconds;
};

double search_seconds_since(const struct timespec *start);

/* One search of model_program. */
void search(const struct search_limits *limits, struct search_result *result);

/* The same from the present state on, with any number of preemptions: no figures but steps. */
void search_on(uint32_t states, struct search_result *result);

/*
 * After a failure: a schedule to the same one with the fewest preemptions, and among these the
 * shortest.  With fewer preemptions, others may come first.
 */
void search_shorten(const struct search_limits *limits, struct search_result *result);

/* Runs one schedule, with report_on as it is.  False: it does not fit the program at step *bad. */
bool search_replay(const struct model_choice *schedule, unsigned length, unsigned *bad);

#endif
