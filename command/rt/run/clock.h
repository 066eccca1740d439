/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_RT_RUN_CLOCK_H
#define FW_COMMAND_RT_RUN_CLOCK_H

#include <errno.h>
#include <stdint.h>
#include <time.h>

/* The clock of all threads of furwock rt run, ns. */
static inline uint64_t rt_run_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline void rt_run_sleep_until(uint64_t ns)
{
    struct timespec at = {.tv_sec = (time_t)(ns / 1000000000u),
                          .tv_nsec = (long)(ns % 1000000000u)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        continue;
}

#endif
