/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_SCHEDULE_H
#define FW_SYS_SCHEDULE_H

#include <stdbool.h>

/*
 * How the kernel schedules a thread.  Thread 0 is the caller; others go by their kernel id.  None
 * touches errno.
 */

/*
 * Does the caller go before all threads that are not real-time ones (SCHED_FIFO, _RR, _DEADLINE)?
 * It should not poll for what one of these has to do.  False where it cannot be told.
 */
bool fw_is_real_time_(void);

/*
 * Sets policy and priority.  0, -EINVAL (the policy has no such priority), -EPERM, -ESRCH.
 */
int fw_schedule_(unsigned thread, int policy, int priority);

/* The priorities that SCHED_FIFO has; they never change. */
int fw_fifo_lowest_(void);
int fw_fifo_highest_(void);

#endif
