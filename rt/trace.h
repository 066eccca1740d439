/* SPDX-License-Identifier: MIT */
#ifndef FW_RT_TRACE_H
#define FW_RT_TRACE_H

#include <stdint.h>

/*
 * What tasks record while `furwock rt trace` runs their program: a file for each task, in the
 * directory that the variable FURWOCK_RT_TRACE names, that its thread alone writes and that
 * outlives it.  When it is full, the oldest events go.
 */
enum fw_rt_event_kind {
    FW_RT_EVENT_BEGIN = 1, /* value: base priority; lock: CPU */
    FW_RT_EVENT_END,
    FW_RT_EVENT_RELEASE,  /* of a job; value: its number */
    FW_RT_EVENT_COMPLETE, /* of a job; value: 1 where it was late */
    FW_RT_EVENT_REQUEST,  /* of a lock */
    FW_RT_EVENT_BLOCK,    /* waits: `other` is the task in the way, or FW_RT_NONE */
    FW_RT_EVENT_RESUME,   /* no longer */
    FW_RT_EVENT_ACQUIRE,
    FW_RT_EVENT_UNLOCK,
    FW_RT_EVENT_INHERIT, /* of the task in the way, told by a task that waits for it */
    FW_RT_EVENT_BOOST,   /* its section held another one back, told by that one */
    FW_RT_EVENT_GRANT,   /* hands a lock to `other` */
    FW_RT_EVENT_WAKE     /* has woken `other`, to which it has handed a lock */
};

struct fw_rt_event {
    uint64_t ns; /* CLOCK_MONOTONIC */
    uint32_t kind;
    uint32_t lock;  /* FW_RT_NONE: none */
    uint32_t other; /* a task */
    uint32_t cpu;
    uint64_t value;
};

struct fw_rt_trace;
struct fw_rt_task;

/* NULL where nobody records, or it cannot be done (a line on standard error says why). */
struct fw_rt_trace *fw_rt_trace_begin_(const struct fw_rt_task *t);
/*
 * The task's trace; if it has none, one in memory from now on, for a caller that reads it in the
 * same thread.  Locks opened before that keep their fast paths, which record nothing.  NULL: no
 * memory.
 */
const struct fw_rt_trace *fw_rt_trace_in_memory_(struct fw_rt_task *t);
void fw_rt_trace_end_(struct fw_rt_trace *trace);
void fw_rt_trace_add_(struct fw_rt_trace *trace, uint32_t kind, uint32_t lock, uint32_t other,
                      uint64_t value);
/* A lock's name, once for each task that opens it. */
void fw_rt_trace_name_(struct fw_rt_trace *trace, uint32_t lock, const char *name,
                       const char *protocol);

#endif
