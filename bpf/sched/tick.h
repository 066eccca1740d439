/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_SCHED_TICK_H
#define FW_BPF_SCHED_TICK_H

#include "bpf/sched/memory.h"

/* Starts the timer that has CPUs decide which have no reason of their own to do so (SCHED3). */
__hidden void fw_tick_start(void);

#endif
