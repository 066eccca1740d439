/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_BACK_OFF_H
#define FW_SYS_BACK_OFF_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <furwock/bits/deadline.h>
#include <furwock/futex.h>

#include "sys/clock.h"

/* Sleeps for at most that long; a signal handler may end it earlier. */
static inline void fw_sleep_for_(uint64_t ns)
{
    static const uint32_t nobody_wakes;
    fw_deadline end = fw_deadline_in_(CLOCK_MONOTONIC, ns);

    fw_futex_wait(&nobody_wakes, 0, FW_FUTEX_PRIVATE, &end);
}

/*
 * The kernel refuses what it was asked for, for a reason that will pass: it has no memory
 * (-ENOMEM), or its records are about to change.  Sleeps for a moment, before it is asked again.
 * Not inlined: what it leaves on its caller's stack would be more states to the model.
 */
#define FW_BACK_OFF_NS UINT64_C(1000000)

__attribute__((cold, noinline, unused)) static void fw_back_off_(void)
{
    fw_sleep_for_(FW_BACK_OFF_NS);
}

#endif
