/* SPDX-License-Identifier: MIT */
/* Contract: perf_event.h.  Linked into what measures, not into the libraries. */
#include "sys/perf_event.h"

#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys_call_arch.h>

int fw_perf_event_open_(const struct perf_event_attr *attributes)
{
    return (int)fw_system_call_(SYS_perf_event_open, (long)(intptr_t)attributes, 0, -1, -1,
                                (long)PERF_FLAG_FD_CLOEXEC, 0);
}
