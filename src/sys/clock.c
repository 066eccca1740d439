/* SPDX-License-Identifier: MIT */
#include <sched.h>
#include <time.h>

#include "sys/clock.h"
#include "sys/pause.h"

uint64_t fw_clock_ns_(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail: the clock always exists */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void fw_clock_get_(clockid_t clock, struct timespec *now)
{
    clock_gettime(clock, now);
}

void fw_pause_(void)
{
    FW_CPU_PAUSE();
}

void fw_yield_(void)
{
    sched_yield(); /* cannot fail on Linux */
}
