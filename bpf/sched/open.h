/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_SCHED_OPEN_H
#define FW_BPF_SCHED_OPEN_H

#include "bpf/sched/memory.h"

/* The task's page asks for OPEN: answers it.  With `sched_lock` held. */
int fw_open(uint32_t slot);

#endif
