/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_SCHED_TASKS_H
#define FW_BPF_SCHED_TASKS_H

#include "bpf/sched/memory.h"

/* A thread that is no task calls sched_yield: perhaps it asks to be one. */
__hidden void fw_try_join(struct task_struct *p);

/* It is no longer a task.  If that cannot be noted now, its CPU's decisions try again. */
int fw_reap(uint32_t slot);

#endif
