/* SPDX-License-Identifier: MIT */
#ifndef FW_MEASURE_TRACEPOINT_H
#define FW_MEASURE_TRACEPOINT_H

#include <stdbool.h>
#include <stdint.h>

/* The tracepoints that benchmarks count. */
#define TRACEPOINT_SYSTEM_CALLS "raw_syscalls/sys_enter"
#define TRACEPOINT_FENCES "syscalls/sys_enter_membarrier"

/* The kernel's number of the tracepoint; -1: there is none, or tracefs cannot be read. */
long tracepoint_number(const char *name);

/*
 * A counter of the tracepoint with that number, of the calling thread and of every thread and
 * process that it starts from now on.  Only events are counted for which the filter holds, in the
 * kernel's language; NULL: all.  It counts at once if `begun`, else from tracepoint_switch on.
 *
 * A file descriptor; or a negative errno value: EACCES or EPERM if perf_event_paranoid does not
 * permit it, EINVAL for a filter that the kernel does not understand.
 */
int tracepoint_open(long number, const char *filter, bool begun);

/* Lets it count, or stops it.  A negative descriptor is left alone. */
void tracepoint_switch(int fd, bool on);

/* False: the descriptor is negative, or cannot be read. */
bool tracepoint_read(int fd, uint64_t *count);

/* Why a counter of any kind cannot be had, if perf_event_open returns EACCES or EPERM. */
#define PERF_FORBIDDEN "perf_event_open is not permitted (kernel.perf_event_paranoid)"

/* Why a counter cannot be had, given what tracepoint_number answered. */
const char *tracepoint_missing(long number);

#endif
