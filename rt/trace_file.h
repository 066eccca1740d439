/* SPDX-License-Identifier: MIT */
#ifndef FW_RT_TRACE_FILE_H
#define FW_RT_TRACE_FILE_H

#include <stdint.h>

#include "rt/state.h"
#include "rt/trace.h"

/*
 * A task's file of events: this head, and behind it FW_RT_TRACE_EVENTS of them.  Event
 * number n lies at n % FW_RT_TRACE_EVENTS.  It is whole once `written` is above n, and until
 * event n + FW_RT_TRACE_EVENTS is begun: of a full file, the oldest one may be a torn one.
 */
#define FW_RT_TRACE_MAGIC 0x315672745f777566ull /* "fuw_trV1" */
#define FW_RT_TRACE_ENDING ".rt-events"
#define FW_RT_TRACE_EVENTS 65536u
#define FW_RT_TRACE_PROTOCOL 16u

struct fw_rt_trace_lock {
    char name[FW_RT_NAME]; /* "": the task has not opened it */
    char protocol[FW_RT_TRACE_PROTOCOL];
};

struct fw_rt_trace {
    uint64_t magic;
    uint64_t written;
    uint64_t group;            /* the same number: the same group; so far as one process can tell */
    uint64_t period, deadline; /* ns */
    uint32_t pid, tid;
    uint32_t slot, tier;
    uint32_t cpu, base;
    char name[FW_RT_NAME];
    struct fw_rt_trace_lock lock[FW_RT_LOCKS];
    uint64_t spare[122];
    struct fw_rt_event event[FW_RT_TRACE_EVENTS];
};

#endif
