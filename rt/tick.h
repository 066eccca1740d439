/* SPDX-License-Identifier: MIT */
#ifndef FW_RT_TICK_H
#define FW_RT_TICK_H

#include <stdint.h>

#include <furwock/bits/atomic.h>

/*
 * One more on a counter that only the threads of one CPU touch: the new value.  Nobody who preempts
 * the caller in between gets the same one, or has its own undone.  (On x86 that takes one
 * instruction, and no lock prefix: a thread that others have moved to another CPU may find a value
 * given out twice.)
 */
#if defined __x86_64__ && !defined __SANITIZE_THREAD__
static inline uint64_t fw_rt_tick_(uint64_t *counter)
{
    uint64_t n = 1;

    __asm__ volatile("xaddq %0, %1" : "+r"(n), "+m"(*counter) : : "memory", "cc");
    return n + 1;
}
#else
static inline uint64_t fw_rt_tick_(uint64_t *counter)
{
    return fw_add64_acquire(counter, 1) + 1;
}
#endif

#endif
