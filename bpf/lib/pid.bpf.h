/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_LIB_PID_BPF_H
#define FW_BPF_LIB_PID_BPF_H

#include "bpf/lib/kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/*
 * In a pid namespace below the first: the thread's number in the upper half, and the number of the
 * namespace in the lower one; 0: unknown.
 */
static __noinline __u64 fw_number_below(struct pid *pid)
{
    struct { /* struct upid; one that is on the stack has no fields to be put in later */
        int nr;
        struct pid_namespace *ns;
    } last;

    if (bpf_probe_read_kernel(&last, sizeof last,
                              (char *)&pid->numbers[0] + pid->level * sizeof last) != 0)
        return 0;

    struct pid_namespace *its = last.ns;
    return (__u64)last.nr << 32 | BPF_CORE_READ(its, ns.inum);
}

#endif
