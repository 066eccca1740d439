/* SPDX-License-Identifier: MIT */
#ifndef FW_RTLATENCY_TICKS_H
#define FW_RTLATENCY_TICKS_H

#include <stdint.h>

/*
 * The CPU's counter, before and after what is measured: the first is read when all before it
 * has been done, and before anything behind it begins; the second likewise.
 */
#if defined(__x86_64__)
#include <x86intrin.h>

static inline uint64_t ticks_before(void)
{
    uint64_t now;

    _mm_lfence();
    now = __rdtsc();
    _mm_lfence();
    return now;
}

static inline uint64_t ticks_after(void)
{
    unsigned cpu;
    uint64_t now = __rdtscp(&cpu);

    _mm_lfence();
    return now;
}
#elif defined(__aarch64__)
static inline uint64_t ticks_before(void)
{
    uint64_t now;

    __asm__ __volatile__("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(now) : : "memory");
    return now;
}

static inline uint64_t ticks_after(void)
{
    return ticks_before();
}
#else
#include "measure/clock.h"

static inline uint64_t ticks_before(void)
{
    return clock_ns();
}

static inline uint64_t ticks_after(void)
{
    return clock_ns();
}
#endif

#endif
