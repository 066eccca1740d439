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

/* The time on CLOCK_MONOTONIC, CLOCK_REALTIME or CLOCK_BOOTTIME. */
void fw_clock_get_(clockid_t clock, struct timespec *now);

static inline bool fw_time_is_before_(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* Nanoseconds of CLOCK_MONOTONIC as they were at the last tick, 10 ms ago at most; cheaper. */
static inline uint64_t fw_clock_coarse_ns_(void)
{
    struct timespec now;

    fw_clock_get_(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The point that lies ns from now. */
static inline fw_deadline fw_deadline_in_(clockid_t clock, uint64_t ns)
{
    fw_deadline d = {.clock = clock};

    fw_clock_get_(clock, &d.at);
    d.at.tv_sec += (time_t)(ns / 1000000000);
    d.at.tv_nsec += (long)(ns % 1000000000);
    if (d.at.tv_nsec >= 1000000000) {
        d.at.tv_nsec -= 1000000000;
        d.at.tv_sec++;
    }
    return d;
}

/* Has the deadline passed?  NULL: there is none. */
static inline bool fw_deadline_is_over_(const fw_deadline *deadline)
{
    struct timespec now;

    if (deadline == NULL)
        return false;
    fw_clock_get_(deadline->clock, &now);
    return !fw_time_is_before_(&now, &deadline->at);
}

/* Nanoseconds from now until the deadline (NULL: there is none), but `most` at most. */
static inline uint64_t fw_deadline_left_(const fw_deadline *deadline, uint64_t most)
{
    struct timespec now;
    int64_t left;

    if (deadline == NULL)
        return most;
    fw_clock_get_(deadline->clock, &now);
    if (!fw_time_is_before_(&now, &deadline->at))
        return 0;
    if (deadline->at.tv_sec > now.tv_sec + 1 + (time_t)(most / 1000000000))
        return most; /* in this order nothing overflows */
    left = (deadline->at.tv_sec - now.tv_sec) * INT64_C(1000000000) +
           (deadline->at.tv_nsec - now.tv_nsec);
    return (uint64_t)left < most ? (uint64_t)left : most;
}

/*
 * The end of a sleep that lasts until the deadline, but at most ns.  It is measured on
 * CLOCK_MONOTONIC whatever clock the deadline is on: where somebody sets the other clock back, the
 * sleep ends all the same (and where it is set ahead, ns late at most).  So ETIMEDOUT means only
 * that it is time to ask whether the deadline is over.
 */
static inline fw_deadline fw_deadline_recheck_(const fw_deadline *deadline, uint64_t ns)
{
    return fw_deadline_in_(CLOCK_MONOTONIC, fw_deadline_left_(deadline, ns));
}

/* Tells the CPU that the caller spins; some nanoseconds. */
void fw_pause_(void);

/* Gives the CPU to another thread that is ready to run, if there is one. */
void fw_yield_(void);

#endif
