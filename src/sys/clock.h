/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_CLOCK_H
#define FW_SYS_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <furwock/bits/deadline.h>

/* Is this a deadline on a clock that the kernel's futex service knows?  None (NULL) is one. */
static inline bool fw_deadline_is_valid_(const fw_deadline *d)
{
    return d == NULL || ((d->clock == CLOCK_MONOTONIC || d->clock == CLOCK_REALTIME) &&
                         d->at.tv_nsec >= 0 && d->at.tv_nsec < 1000000000);
}

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t fw_clock_ns_(void);

/* The time on CLOCK_MONOTONIC or CLOCK_REALTIME. */
void fw_clock_get_(clockid_t clock, struct timespec *now);

/* Tells the processor that the caller polls; some nanoseconds. */
void fw_pause_(void);

/* Gives the processor to another thread that is ready to run, if there is one. */
void fw_yield_(void);

#endif
