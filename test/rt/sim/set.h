/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_RT_SIM_SET_H
#define FW_TEST_RT_SIM_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "rt/state.h"

/*
 * A task set: tasks on CPUs, each of them a program that every one of its jobs runs through, and
 * the moments at which jobs are released.  Time is a count of ticks; only SIM_RUN and SIM_SLEEP
 * take any.
 */
#define SIM_TASKS 10
#define SIM_LOCKS 6
#define SIM_CPUS 3
#define SIM_OPS 40
#define SIM_JOBS 8

enum sim_do { SIM_RUN, SIM_SLEEP, SIM_LOCK, SIM_UNLOCK, SIM_END };

struct sim_op {
    enum sim_do what;
    int value; /* ticks, or a lock */
};

struct sim_task {
    int base; /* larger is more urgent; no two tasks share one */
    int cpu;
    int period; /* between two releases, at least */
    int jobs;
    int release[SIM_JOBS];
    int ops;
    struct sim_op op[SIM_OPS];
};

struct sim_set {
    uint64_t seed;
    uint32_t kind; /* FW_RT_KIND_*, of all locks */
    int cpus, tasks, locks;
    int order[SIM_CPUS]; /* which CPU goes first where several could act at one moment */
    bool sleeps, sleeps_in_sections;
    bool leaves_out; /* a job that is late makes its task leave out those released meanwhile */
    struct sim_task task[SIM_TASKS];
};

/* What a program is asked for. */
struct sim_options {
    unsigned sets;
    uint64_t seed; /* of the first set; the next ones count on from it */
    uint32_t kind; /* 0: all */
    bool faults;   /* sim_test.c only */
};
struct sim_options sim_options_of(int argc, char **argv, const char *about);

void sim_set_make(struct sim_set *set, uint32_t kind, uint64_t seed);

/* One that the analysis has bounds for: command/rt/analysis/analysis.h, "Model". */
void sim_set_make_bounded(struct sim_set *set, uint32_t kind, uint64_t seed);

/* Ticks of SIM_RUN, or of SIM_SLEEP, in a job. */
int sim_ticks(const struct sim_task *task, enum sim_do what);
void sim_set_print(const struct sim_set *set, FILE *out);
const char *sim_kind_name(uint32_t kind);

/* Does the task's program use the lock? */
bool sim_uses(const struct sim_set *set, int t, int lock);

#endif
