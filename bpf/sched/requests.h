/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_BPF_SCHED_REQUESTS_H
#define FW_BPF_SCHED_REQUESTS_H

#include "bpf/sched/memory.h"

/*
 * All except JOIN.  Returns what is left to do: LEAVE.  A task that is to be on its CPU, and is not
 * there yet, asks again from there.
 */
int fw_request(uint32_t slot);

/*
 * Of a task that is away: nobody may hear when it leaves a section, or asks.  What others of its
 * CPU want must not depend on when it is back.
 */
int fw_look_after(uint32_t slot);

#endif
