/* SPDX-License-Identifier: Dual MIT/GPL */
#ifndef FW_BPF_SCHED_HOTPLUG_H
#define FW_BPF_SCHED_HOTPLUG_H

#include "bpf/sched/inside.h"

/*
 * CPUs that come and go; the kernel ends a scheduler that has no such functions.  Tasks of a CPU
 * that goes are moved, which makes them `away`.
 */
SEC("struct_ops/fw_cpu_online")
void BPF_PROG(fw_cpu_online, s32 cpu)
{
    cpu_sides[(uint32_t)cpu % FW_RT_CPUS].is_leaving = 0;
    cpu_sides[(uint32_t)cpu % FW_RT_CPUS].is_asked = 0;
}

SEC("struct_ops/fw_cpu_offline")
void BPF_PROG(fw_cpu_offline, s32 cpu)
{
    cpu_sides[(uint32_t)cpu % FW_RT_CPUS].is_leaving = 1;
    cpu_sides[(uint32_t)cpu % FW_RT_CPUS].is_asked = 0;
}

#endif
