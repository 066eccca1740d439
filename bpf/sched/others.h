/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_SCHED_OTHERS_H
#define FW_BPF_SCHED_OTHERS_H

/* Threads that are no tasks: how they wait, and what they get if tasks fill a CPU (SCHED3). */
#include "bpf/sched/memory.h"

/*
 * Is one moved to the CPU?  In order of arrival: so all come in, however often tasks push them out.
 */
int fw_run_others(uint32_t cpu, uint64_t now);

/* Instead of a task, if they have waited for too long.  Does one run? */
int fw_relieve_starved(uint32_t cpu, uint64_t now);

__hidden void fw_enqueue_other(struct task_struct *p, uint64_t flags);

/* A CPU may have become idle between its look at the queue and fw_enqueue_other's for idle CPUs. */
__hidden void fw_wake_idle(void);

#endif
