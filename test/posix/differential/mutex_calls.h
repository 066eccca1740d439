/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_MUTEX_CALLS_H
#define FW_TEST_MUTEX_CALLS_H

#include "differ.h"

/* What can be asked of a mutex (order->object), and of a condition variable with it (->other). */
long mutex_lock(struct order *o);
long mutex_trylock(struct order *o);
long mutex_timedlock(struct order *o);
long mutex_clocklock(struct order *o);
long mutex_unlock(struct order *o);
long mutex_consistent(struct order *o);
long mutex_getceiling(struct order *o);
long mutex_setceiling(struct order *o);
long mutex_destroy(struct order *o);
long mutex_wait(struct order *o);
long mutex_timedwait(struct order *o);
long mutex_clockwait(struct order *o);
long mutex_signal(struct order *o);
long mutex_schedule(struct order *o);
long mutex_schedule_of(struct order *o);

/*
 * May this process use SCHED_FIFO?  A ceiling means something to real-time threads only; to others,
 * the C library forgets that it has refused them.
 */
bool mutex_may_be_real_time(void);

#endif
