/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_PERF_EVENT_H
#define FW_SYS_PERF_EVENT_H

struct perf_event_attr;

/*
 * perf_event_open(2), of the calling thread on any CPU.  A file descriptor; or a negative errno
 * value: EACCES or EPERM if perf_event_paranoid does not permit it, ENOENT or another where the
 * machine has no such counter.
 */
int fw_perf_event_open_(const struct perf_event_attr *attributes);

#endif
