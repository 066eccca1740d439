/* SPDX-License-Identifier: MIT */
#ifndef FW_PRELOAD_BOOST_H
#define FW_PRELOAD_BOOST_H

#include <pthread.h>
#include <sched.h>

/*
 * The priority that the ceilings of its mutexes give a thread: the highest of them, or its own,
 * where that is higher.  Its own is what pthread_getschedparam says, and what pthread_setschedparam
 * and pthread_setschedprio change; the kernel has the other.
 */

/* The calling thread's own priority. */
int fw_boost_own_priority_(void);

/*
 * The calling thread is about to take a mutex of that ceiling.  0, or nothing has changed: EINVAL
 * (the thread's policy knows no such priority: it is not SCHED_FIFO or SCHED_RR), EPERM (the thread
 * may not have it), EAGAIN (too many mutexes of that ceiling).
 */
int fw_boost_raise_(int ceiling);

/* It has given one back.  Does nothing where it had none of that ceiling. */
int fw_boost_lower_(int ceiling);

/* pthread_setschedparam and its like. */
int fw_posix_setschedparam_(pthread_t thread, int policy, const struct sched_param *param);
int fw_posix_setschedprio_(pthread_t thread, int priority);
int fw_posix_getschedparam_(pthread_t thread, int *policy, struct sched_param *param);

#endif
