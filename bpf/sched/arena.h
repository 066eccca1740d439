/* SPDX-License-Identifier: MIT */
#ifndef FW_BPF_SCHED_ARENA_H
#define FW_BPF_SCHED_ARENA_H

#include <stddef.h>
#include <stdint.h>

/*
 * The memory in which the tasks' permits are (permits.bpf.c): a BPF arena for each user, so that
 * nobody's mappings make another user's changes of permits slower.  It lies at the same address in
 * all processes.
 */

/* Which of the schedulers to load (object.c); 0: without permits, and `why`. */
uint32_t fw_rt_scx_permits_here(char *why, size_t size);

/* An address for them, another one for each scheduler that is started. */
uint64_t fw_rt_scx_permits_address(uint64_t generation);

/* The file of a new arena; negative: errno. */
int fw_rt_scx_arena_new(uint64_t address);

#endif
