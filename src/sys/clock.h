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

static inline bool fw_time_is_before_(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
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

/*
 * Until the deadline (NULL: there is none), or for ns, if that is shorter.  *is_nap: it is; so the
 * time is not over when this has passed.
 */
static inline fw_deadline fw_deadline_nap_(const fw_deadline *deadline, uint64_t ns, bool *is_nap)
{
    fw_deadline end = fw_deadline_in_(deadline != NULL ? deadline->clock : CLOCK_MONOTONIC, ns);

    *is_nap = deadline == NULL || fw_time_is_before_(&end.at, &deadline->at);
    return *is_nap ? end : *deadline;
}

/* Tells the processor that the caller polls; some nanoseconds. */
void fw_pause_(void);

/* Gives the processor to another thread that is ready to run, if there is one. */
void fw_yield_(void);

#endif
