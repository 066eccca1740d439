/* SPDX-License-Identifier: MIT */
#ifndef FW_POSIX_NAP_H
#define FW_POSIX_NAP_H

#include <errno.h>
#include <stdint.h>
#include <time.h>

#include <furwock/bits/deadline.h>

#include "sys/clock.h"

/*
 * How long those sleep at most who wait between processes, where a wake can be lost with one who
 * dies between its change and its wake: then they look for themselves.  The first nap of a wait is
 * the lock's; after each that nobody has ended the next is eight times as long, up to a minute.  So
 * who waits for long wakes once a minute, and who has just come sees a loss soon.  Where the
 * deadline is on CLOCK_REALTIME it is a second: that clock may be set.
 */
#ifndef FW_NAP_GROWTH /* the model has naps that are all alike */
#define FW_NAP_GROWTH 8u
#endif
#define FW_NAP_MOST_NS UINT64_C(60000000000)
#define FW_NAP_REAL_NS UINT64_C(1000000000)

/* The nap that follows one of `ns`, which has ended with `error` of the futex wait. */
static inline uint64_t fw_nap_after_(uint64_t ns, int error, const fw_deadline *deadline)
{
    uint64_t most =
        deadline != NULL && deadline->clock == CLOCK_REALTIME ? FW_NAP_REAL_NS : FW_NAP_MOST_NS;

    if (error != -ETIMEDOUT)
        return ns;
    return ns < most / FW_NAP_GROWTH ? ns * FW_NAP_GROWTH : most;
}

#endif
