/* SPDX-License-Identifier: MIT */
#ifndef FW_SYS_SCHEDULE_H
#define FW_SYS_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How the kernel schedules a thread.  Thread 0 is the caller; others go by their kernel id.  None
 * touches errno.
 */

/*
 * Does the caller go before all threads that are not real-time ones (SCHED_FIFO, _RR, _DEADLINE)?
 * It should not spin for what one of these has to do.  False where it cannot be told.
 */
bool fw_is_real_time_(void);

/*
 * How urgent the caller is by its own policy and priority, as the kernel has them at this moment
 * (anybody may change them): 0, not a real-time thread; the priority under SCHED_FIFO and _RR, 1 to
 * 99; FW_URGENCY_DEADLINE.  One system call.  0 where it cannot be told.
 */
int fw_urgency_(void);

#define FW_URGENCY_DEADLINE 100

/*
 * The same as the calling thread has last been told; it asks if it never has.  A thread that is
 * about to sleep asks again, since a system call is little beside that.
 */
int fw_urgency_known_(void);

/*
 * How many locks the calling thread holds by which others lend it their priority: then it may be
 * more urgent than it knows.  Whoever takes and releases such locks counts them.
 */
extern __thread uint32_t fw_inheriting_
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/*
 * Sets policy and priority.  0, -EINVAL (the policy has no such priority), -EPERM, -ESRCH.
 */
int fw_schedule_(unsigned thread, int policy, int priority);

/*
 * Policy, with SCHED_RESET_ON_FORK where that is set, and priority without what others lend it.  0,
 * -ESRCH; -EPERM if a security module says so.  Neither is set then.
 */
int fw_scheduled_as_(unsigned thread, int *policy, int *priority);

/* Enters the kernel, and asks for nothing there. */
void fw_enter_kernel_(void);

/* The priorities that SCHED_FIFO has; they never change. */
int fw_fifo_lowest_(void);
int fw_fifo_highest_(void);

#endif
