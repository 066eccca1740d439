/* SPDX-License-Identifier: MIT */
/* The public way to make a deadline.  Contract: furwock/bits/deadline.h. */
#include <furwock/bits/deadline.h>

#include "sys/clock.h"

/* The greatest time_t, whatever its width. */
#define LAST_SECOND ((time_t)(((UINT64_C(1) << (sizeof(time_t) * 8 - 2)) - 1) * 2 + 1))

#define NS_PER_S UINT64_C(1000000000)

static bool is_known(clockid_t clock)
{
    return clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME;
}

fw_deadline fw_deadline_after(clockid_t clock, uint64_t ns)
{
    fw_deadline d = {.clock = clock};
    uint64_t left;

    if (!is_known(clock))
        return d;
    d = fw_deadline_in_(clock, ns % NS_PER_S);
    left = (uint64_t)LAST_SECOND - (uint64_t)d.at.tv_sec; /* the clocks are not before 1970 */
    if (ns / NS_PER_S > left)
        d.at = (struct timespec){.tv_sec = LAST_SECOND, .tv_nsec = (long)(NS_PER_S - 1)};
    else
        d.at.tv_sec += (time_t)(ns / NS_PER_S);
    return d;
}
