/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_RT_TRACE_H
#define FW_COMMAND_RT_TRACE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

/*
 * furwock rt trace: what a program's tasks have recorded (rt/trace_file.h), and when each of them
 * had a CPU, as JSON.
 *
 *   trace.c          the verb: runs the program
 *   trace_read.c     the tasks' files
 *   trace_kernel.c   the kernel's context switches, by a tracefs instance of its own
 */
#define RT_TRACE_FORMAT "furwock-rt-trace-1"

struct rt_trace_kernel {
    char folder[PATH_MAX]; /* of the instance; "": there is none */
    char why[160];         /* not, or what is missing */
};

/* All switches from now on.  Fills in `why`, where that cannot be. */
void rt_trace_kernel_begin(struct rt_trace_kernel *k);

/* No more of them; the instance is there to be read. */
void rt_trace_kernel_stop(struct rt_trace_kernel *k);

/* Hands over each switch, in the order of time. */
void rt_trace_kernel_read(struct rt_trace_kernel *k,
                          void (*take)(void *arg, uint64_t ns, unsigned cpu, uint32_t from,
                                       uint32_t to),
                          void *arg);
void rt_trace_kernel_end(struct rt_trace_kernel *k);

/* The trace of the files in the folder, members "tasks", "locks", "events", "runs", "beginning";
 * NULL where there is no task. */
json_t *rt_trace_read(const char *folder, struct rt_trace_kernel *k);

#endif
