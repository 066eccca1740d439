/* SPDX-License-Identifier: MIT */
#ifndef FW_CORE_RECHECK_H
#define FW_CORE_RECHECK_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <furwock/bits/deadline.h>

/*
 * How long those sleep at most who wait between processes, where a wake can be lost with one who
 * dies: then they look for themselves.  The first nap of a wait is the lock's; after each that
 * nobody has ended the next is eight times as long, up to a minute.  So who waits for long wakes
 * once a minute, and who has just come sees a loss soon.  Where the deadline is on CLOCK_REALTIME
 * it is a second: that clock may be set.
 */
#ifndef FW_NAP_GROWTH /* the model has naps that are all alike */
#define FW_NAP_GROWTH 8u
#endif
#define FW_NAP_MOST_NS UINT64_C(60000000000)
#define FW_NAP_REAL_NS UINT64_C(1000000000)

static inline uint64_t fw_nap_longest_(const fw_deadline *deadline)
{
    return deadline != NULL && deadline->clock == CLOCK_REALTIME ? FW_NAP_REAL_NS : FW_NAP_MOST_NS;
}

/* The nap that follows a whole one of `ns`. */
static inline uint64_t fw_nap_longer_(uint64_t ns, uint64_t longest)
{
    return ns < longest / FW_NAP_GROWTH ? ns * FW_NAP_GROWTH : longest;
}

/* The nap that follows one of `ns`, which has ended with `error` of the futex wait. */
static inline uint64_t fw_nap_after_(uint64_t ns, int error, const fw_deadline *deadline)
{
    return error == -ETIMEDOUT ? fw_nap_longer_(ns, fw_nap_longest_(deadline)) : ns;
}

#endif
