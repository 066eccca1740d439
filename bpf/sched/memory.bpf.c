/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include "bpf/sched/memory.h"

char fw_license[] SEC("license") = "Dual MIT/GPL";

volatile uint32_t fw_zero;
const volatile struct fw_sched_config config = {0};

struct fw_map_of_state state SEC(".maps");
struct fw_map_of_pages pages SEC(".maps");
struct fw_map_of_slots slots SEC(".maps");

struct side side[FW_RT_TASKS];
struct cpu_side cpu_sides[FW_RT_CPUS];
uint64_t lost_slots, runnable_slots, died_locks;
uint64_t permit_locks, open_permits[FW_RT_SCX_GRANTS];
uint32_t sched_lock;
