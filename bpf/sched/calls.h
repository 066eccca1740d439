/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_SCHED_CALLS_H
#define FW_BPF_SCHED_CALLS_H

/*
 * The kernel's calls that several parts make.  Each is declared in one part only (calls.bpf.c): the
 * linkers of libbpf 1.1 and earlier take a call of the kernel from a single object.
 */
#include "bpf/sched/kernel.h"

#include <bpf/bpf_helpers.h>

__hidden void fw_dsq_insert(struct task_struct *p, __u64 dsq, __u64 slice, __u64 flags);
__hidden bool fw_dsq_move_to_local(__u64 dsq);
__hidden void fw_kick_cpu(__s32 cpu, __u64 flags);
__hidden __s32 fw_task_cpu(const struct task_struct *p);
__hidden __u32 fw_nr_cpu_ids(void);
__hidden __u32 fw_first_cpu(const struct cpumask *mask);

#endif
