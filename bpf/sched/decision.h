/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_SCHED_DECISION_H
#define FW_BPF_SCHED_DECISION_H

#include "bpf/sched/memory.h"

/* The CPU of that task is to decide anew, wherever the task is. */
int fw_ask_for(uint32_t slot);

/* Does it wait for a lock? */
int fw_waits(uint32_t slot);

/*
 * Which tasks of the CPU compete.  FW_RT_NONE, or one that is blocked and due to look: a task
 * that has waited longest for that.  A turn is above all priorities, so all of a CPU's tasks share
 * them.
 */
int fw_refresh(uint32_t cpu, uint64_t now);

/* The task that runs; FW_RT_NONE: none.  Tells it of a lock that it got by that. */
int fw_decide(uint32_t cpu);

#endif
