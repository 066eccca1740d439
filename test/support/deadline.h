/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_SUPPORT_DEADLINE_H
#define FW_TEST_SUPPORT_DEADLINE_H

#include <stdint.h>
#include <time.h>

#include <furwock/bits/deadline.h>

#include "now.h"

/* A deadline ns from now on that clock; negative: in the past. */
static inline fw_deadline deadline_in(clockid_t clock, int64_t ns)
{
    fw_deadline d = {{0, 0}, clock};
    int64_t at;

    clock_gettime(clock, &d.at);
    at = (int64_t)d.at.tv_sec * 1000000000 + d.at.tv_nsec + ns;
    d.at.tv_sec = (time_t)(at / 1000000000);
    d.at.tv_nsec = (long)(at % 1000000000);
    return d;
}

/* One of CLOCK_MONOTONIC. */
static inline fw_deadline in_us(int64_t us)
{
    return deadline_in(CLOCK_MONOTONIC, us * 1000);
}

static inline fw_deadline in_ms(int64_t ms)
{
    return in_us(ms * 1000);
}

#endif
