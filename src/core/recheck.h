/* SPDX-License-Identifier: MIT */
#ifndef FW_CORE_RECHECK_H
#define FW_CORE_RECHECK_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <furwock/bits/deadline.h>

/*
 * Re-check intervals.  Between processes a wake can be lost with the process that was to make it,
 * so a waiter sleeps for a bounded time and then checks for itself.  The first interval of a wait
 * is the lock's; each one that passes without a wake is followed by one eight times as long, up to
 * a minute.  A waiter that has just come therefore notices a loss soon, and one that has waited for
 * long wakes once a minute.  With a deadline on CLOCK_REALTIME the maximum is a second, because
 * that clock may be set.
 */
#ifndef FW_RECHECK_GROWTH /* in the model all intervals are alike */
#define FW_RECHECK_GROWTH 8u
#endif
#define FW_RECHECK_MAX_NS UINT64_C(60000000000)
#define FW_RECHECK_REALTIME_NS UINT64_C(1000000000)

static inline uint64_t fw_recheck_longest_(const fw_deadline *deadline)
{
    return deadline != NULL && deadline->clock == CLOCK_REALTIME ? FW_RECHECK_REALTIME_NS
                                                                 : FW_RECHECK_MAX_NS;
}

/* The interval after one of `ns` that has passed without a wake. */
static inline uint64_t fw_recheck_longer_(uint64_t ns, uint64_t longest)
{
    return ns < longest / FW_RECHECK_GROWTH ? ns * FW_RECHECK_GROWTH : longest;
}

/* The interval after one of `ns` that ended with `error` of the futex wait. */
static inline uint64_t fw_recheck_after_(uint64_t ns, int error, const fw_deadline *deadline)
{
    return error == -ETIMEDOUT ? fw_recheck_longer_(ns, fw_recheck_longest_(deadline)) : ns;
}

#endif
