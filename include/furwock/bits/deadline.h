/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_DEADLINE_H
#define FURWOCK_BITS_DEADLINE_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

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

#endif
