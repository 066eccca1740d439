/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_SCHED_NOTES_H
#define FW_BPF_SCHED_NOTES_H

/*
 * Notes of the times at which a CPU was not the most urgent task's, for tools that ask afterwards
 * why a job was late (page.h).  They are rare, and cost the common decision a look at two words.
 */
#include "bpf/sched/memory.h"

/* From now on until the CPU's next decision.  cause: enum fw_rt_scx_cause. */
int fw_notes_begin(uint32_t cause, uint32_t cpu, uint32_t slot, uint64_t now);

/* The CPU decides: what was begun ends, and was it asked to decide long ago? */
int fw_notes_end(uint32_t cpu, uint32_t slot, uint64_t now);

#endif
