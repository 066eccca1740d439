/* SPDX-License-Identifier: MIT */
#ifndef FW_CORE_PI_WAIT_H
#define FW_CORE_PI_WAIT_H

#include <stdint.h>
#include <time.h>

#include <furwock/bits/deadline.h>

#include "sys/clock.h"
#include "sys/futex_pi.h"

/*
 * Waits for a lock with priority inheritance in the kernel, until it is time to look for oneself
 * (recheck.h).  0: the kernel has made the caller the owner.  -ETIMEDOUT: it is time.  The caller
 * knows what the other errors say of an owner that is dead; after one that says nothing it backs
 * off (sys/back_off.h).
 */
static inline int fw_pi_wait_(uint32_t *word, unsigned shared, uint64_t recheck_ns)
{
    fw_deadline recheck = fw_deadline_in_(CLOCK_MONOTONIC, recheck_ns);

    return fw_futex_lock_pi_(word, shared, &recheck);
}

#endif
