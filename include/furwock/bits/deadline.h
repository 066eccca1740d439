/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_DEADLINE_H
#define FURWOCK_BITS_DEADLINE_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include <furwock/bits/api.h>

FW_BEGIN_DECLS

/*
 * A point in time on a named clock.  All timed calls take a pointer to one; NULL means "no
 * deadline". Deadlines are absolute, so a wait that is interrupted and resumed needs no arithmetic,
 * and the clock is part of the type, so it cannot be confused.
 *
 * clock: CLOCK_MONOTONIC or CLOCK_REALTIME (the two that the kernel's futex service knows).
 * at:    tv_nsec in 0 .. 999 999 999.  A deadline in the past (tv_sec may be negative) has passed.
 *
 * A call that is given another clock or a bad tv_nsec returns EINVAL, but only if it would have to
 * wait: a free lock is taken without looking at the deadline, as POSIX has it.
 */
typedef struct fw_deadline {
    struct timespec at;
    clockid_t clock;
} fw_deadline;

/*
 * The point that lies ns nanoseconds after now on that clock; the last that there is, where the sum
 * would be later still (UINT64_MAX, on a clock with 64 bits, is in 584 years).  Of another clock
 * than the two above: with such a deadline a call that would have to wait returns EINVAL.  Safe in
 * signal handlers.
 *
 *     fw_deadline soon = fw_deadline_after(CLOCK_MONOTONIC, 50000000); // in 50 ms
 *     if (fw_mutex_timedlock(&lock, &soon) == ETIMEDOUT) ...
 */
FW_API fw_deadline fw_deadline_after(clockid_t clock, uint64_t ns);

FW_END_DECLS

#endif
