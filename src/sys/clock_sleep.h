/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_CLOCK_SLEEP_H
#define FW_SYS_CLOCK_SLEEP_H

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys_call_arch.h>
#include <time.h>

/*
 * Sleeps that nobody can end by a wake: for releases of periodic tasks, and for polling what has no
 * wake.  No cancellation points.
 */
static inline struct timespec fw_timespec_(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / UINT64_C(1000000000)),
                             .tv_nsec = (long)(ns % UINT64_C(1000000000))};
}

/* Until CLOCK_MONOTONIC says so; signal handlers may run meanwhile. */
static inline void fw_clock_sleep_until_(uint64_t ns)
{
    struct timespec at = fw_timespec_(ns);

    while (fw_system_call_(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, (long)(intptr_t)&at,
                           0, 0, 0) == -EINTR)
        ;
}

/* For at most that long; a signal handler ends it. */
static inline void fw_clock_sleep_for_(uint64_t ns)
{
    struct timespec interval = fw_timespec_(ns);

    fw_system_call_(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)(intptr_t)&interval, 0, 0, 0);
}

#endif
