/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_RT_RUN_PLAN_H
#define FW_COMMAND_RT_RUN_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "command/rt/taskset.h"

enum run_do { RUN_DO_EXECUTE, RUN_DO_LOCK, RUN_DO_UNLOCK, RUN_DO_SLEEP };

struct run_step {
    enum run_do what;
    int lock;
    uint64_t ns;
};

struct run_plan {
    struct run_step *step;
    size_t count;
};

/*
 * What a job does, step by step: its sections in their order, what it executes outside of them in
 * equal parts before, between and after, and its sleeps spread over these.  The same inside of
 * sections.
 */
struct run_plan rt_run_plan(const struct taskset_task *task);

#endif
