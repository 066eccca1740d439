/* SPDX-License-Identifier: MIT */
#ifndef FW_MEASURE_CLOCK_H
#define FW_MEASURE_CLOCK_H

#include <stdint.h>
#include <time.h>

#include <furwock/bits/api.h>

FW_BEGIN_DECLS

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t clock_ns(void);

/* A point of a clock, in nanoseconds. */
static inline uint64_t clock_ns_of(const struct timespec *at)
{
    return (uint64_t)at->tv_sec * 1000000000u + (uint64_t)at->tv_nsec;
}

/* Nanoseconds of CPU time that the calling thread has used. */
uint64_t clock_thread_cpu_ns(void);

/* The point of CLOCK_MONOTONIC that lies `ns` from now; negative: in the past. */
struct timespec clock_in_ns(int64_t ns);

/* The point of CLOCK_REALTIME that is as far away as that of CLOCK_MONOTONIC, and not before it. */
struct timespec clock_realtime_of(const struct timespec *monotonic);

/* Sleeps until CLOCK_MONOTONIC shows that many nanoseconds, whatever signals arrive. */
void clock_sleep_until(uint64_t at_ns);

/* The same, from now on. */
void clock_sleep_ns(uint64_t ns);

/*
 * Work: a piece of computation of a given length that touches no memory and makes no call.
 *
 * It is a number of steps, not a time span read off a clock: a task that is preempted in the
 * middle still has the rest of its work to do, as in the loops of ulockflex (Franke, Russell and
 * Kirkwood, OLS 2002, section 4.1).  How many steps a nanosecond holds is measured once per
 * process, by the first call or by work_calibrate(), and inherited by forked children; calibrate
 * before starting tasks.
 */
double work_calibrate(void); /* steps per nanosecond */

/* Uses the rate of an earlier run instead, so that runs are comparable. */
void work_set_rate(double steps_per_ns);

/* The steps that `ns` nanoseconds of work are. */
uint64_t work_steps(double ns);

void work_do(uint64_t steps);
void work_ns(uint64_t ns);

FW_END_DECLS

#endif
