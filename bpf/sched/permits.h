/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_SCHED_PERMITS_H
#define FW_BPF_SCHED_PERMITS_H

/* Permits (PCP-DU-PF): pages of memory that a task can read or cannot. */
#include "bpf/sched/memory.h"

/* After fw_begin and fw_withdraw: the task opens or closes its permit before it goes on. */
__hidden void fw_turn_permit(struct task_struct *p, uint32_t slot);

/*
 * Before the task opens its first lock with a permit.  Works of the slot's last task may still be
 * at it; then it is asked for again.
 */
__hidden void fw_make_works(struct task_struct *p, uint32_t slot);

/* The scheduler comes to its end (PERMIT5). */
__hidden void fw_close_permits(void);

#endif
