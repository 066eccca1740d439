/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_SUPPORT_NOW_H
#define FW_TEST_SUPPORT_NOW_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of that clock; 0: there is no such clock. */
static inline uint64_t now_ns_of(clockid_t clock)
{
    struct timespec now = {0, 0};

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static inline uint64_t now_ns(void)
{
    return now_ns_of(CLOCK_MONOTONIC);
}

#endif
