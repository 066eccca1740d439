/* SPDX-License-Identifier: MIT */
#ifndef FW_AWAIT_TIMERS_H
#define FW_AWAIT_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

#include <time.h>

#include <furwock/bits/await.h>

/*
 * The deadlines of a loop's operations, on one clock: a pairing heap through the operations, which
 * allocates nothing.  Enqueueing takes a comparison, removal O(log n) amortised.  For the loop's
 * thread only.
 */
struct fw_timers_ {
    fw_await *first; /* the earliest; NULL: none */
    clockid_t clock;
    int fd;         /* of a timer, -1: none yet */
    uint64_t armed; /* the time to which that is set; 0: it is not */
};

/* No deadline. */
#define FW_TIMERS_NEVER_ UINT64_MAX

/* Nanoseconds of its clock; 0 for times before the epoch. */
uint64_t fw_timers_ns_(const struct timespec *at);
uint64_t fw_timers_now_(const struct fw_timers_ *t);

/* op->more_.deadline is set; it is not in a heap. */
void fw_timers_insert_(struct fw_timers_ *t, fw_await *op);
void fw_timers_remove_(struct fw_timers_ *t, fw_await *op);

static inline uint64_t fw_timers_earliest_(const struct fw_timers_ *t)
{
    return t->first != NULL ? t->first->more_.deadline : FW_TIMERS_NEVER_;
}

/* Sets the timer so that it fires at `when`, or before: FW_TIMERS_NEVER_ mostly does nothing. */
void fw_timers_arm_(struct fw_timers_ *t, uint64_t when);

#endif
