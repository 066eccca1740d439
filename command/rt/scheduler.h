/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_RT_SCHEDULER_H
#define FW_COMMAND_RT_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/inspect.h"
#include "view.h"

/* Exit statuses of `furwock rt status` without a group, beside 0: those of init scripts (LSB). */
enum { RT_RUNS_NOT = 3, RT_UNKNOWN = 4 };

/* The scheduler of tier B, its tasks and locks; returns the exit status. */
int rt_scheduler_show(bool as_json);

/* What the scheduler knows of a group's tasks and locks, if it is there; else the view stays. */
void rt_scheduler_view(struct rt_view *v, uint64_t group);

/* Of what fw_rt_scx_state_map (bpf/sched/loader.h) has mapped. */
void rt_scheduler_unmap(const struct fw_rt_scx_state *w);

/* Why the most urgent task did not have its CPU: enum fw_rt_scx_cause, in words. */
const char *rt_scheduler_cause(uint32_t cause);

#endif
