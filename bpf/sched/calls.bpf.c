/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include "bpf/sched/calls.h"

#ifdef FW_RT_SCX_OLDER /* the names that Linux 6.12 has */
#define scx_bpf_dsq_insert scx_bpf_dispatch
#define scx_bpf_dsq_move_to_local scx_bpf_consume
#endif
FW_KFUNC void scx_bpf_dsq_insert(struct task_struct *p, __u64 dsq, __u64 slice, __u64 flags);
FW_KFUNC bool scx_bpf_dsq_move_to_local(__u64 dsq);
FW_KFUNC void scx_bpf_kick_cpu(__s32 cpu, __u64 flags);
FW_KFUNC __s32 scx_bpf_task_cpu(const struct task_struct *p);
FW_KFUNC __u32 scx_bpf_nr_cpu_ids(void);
FW_KFUNC __u32 bpf_cpumask_first(const struct cpumask *mask);

void fw_dsq_insert(struct task_struct *p, __u64 dsq, __u64 slice, __u64 flags)
{
    scx_bpf_dsq_insert(p, dsq, slice, flags);
}

bool fw_dsq_move_to_local(__u64 dsq)
{
    return scx_bpf_dsq_move_to_local(dsq);
}

void fw_kick_cpu(__s32 cpu, __u64 flags)
{
    scx_bpf_kick_cpu(cpu, flags);
}

__s32 fw_task_cpu(const struct task_struct *p)
{
    return scx_bpf_task_cpu(p);
}

__u32 fw_nr_cpu_ids(void)
{
    return scx_bpf_nr_cpu_ids();
}

__u32 fw_first_cpu(const struct cpumask *mask)
{
    return bpf_cpumask_first(mask);
}
