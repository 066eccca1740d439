/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_SCHED_SLOT_H
#define FW_BPF_SCHED_SLOT_H

/*
 * What the scheduler and a slot's task tell each other of locks: what the task has done is noted,
 * and it is published whether it may lock without asking (SCX1).
 */
#include "bpf/sched/memory.h"

/* The task is about to run on that CPU. */
int fw_begin(uint32_t slot, uint32_t cpu);

/* Takes note of what the task has done since it was dispatched. */
int fw_note(uint32_t slot);

/* The same, and it may not lock without asking any more. */
int fw_revoke(uint32_t slot);

/* It goes where it is `away` (enum fw_rt_scx_away), or comes back; `runs`: it is on a CPU now. */
int fw_withdraw(uint32_t slot, uint32_t away, uint32_t runs);

#endif
