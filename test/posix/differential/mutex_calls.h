/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_MUTEX_CALLS_H
#define FW_TEST_MUTEX_CALLS_H

#include <errno.h>
#include <threads.h>

#include "differ.h"

/*
 * For mutex.c: what can be asked of a mutex (o->object), and of a condition variable (o->other); by
 * their POSIX names or by C11's, whose results are said as error numbers.
 */
static bool is_c11;

static int in_errno(int result)
{
    return result == thrd_success    ? 0
           : result == thrd_busy     ? EBUSY
           : result == thrd_timedout ? ETIMEDOUT
                                     : EINVAL;
}

#define EITHER(name, posix, c11) CALL(name, is_c11 ? in_errno(c11) : (posix))

EITHER(mutex_lock, pthread_mutex_lock(o->object), mtx_lock(o->object))
EITHER(mutex_trylock, pthread_mutex_trylock(o->object), mtx_trylock(o->object))
EITHER(mutex_timedlock, pthread_mutex_timedlock(o->object, &o->at),
       mtx_timedlock(o->object, &o->at))
EITHER(mutex_unlock, pthread_mutex_unlock(o->object), mtx_unlock(o->object))
EITHER(mutex_destroy, pthread_mutex_destroy(o->object), (mtx_destroy(o->object), thrd_success))
EITHER(mutex_wait, pthread_cond_wait(o->other, o->object), cnd_wait(o->other, o->object))
EITHER(mutex_timedwait, pthread_cond_timedwait(o->other, o->object, &o->at),
       cnd_timedwait(o->other, o->object, &o->at))
EITHER(mutex_broadcast, pthread_cond_broadcast(o->other), cnd_broadcast(o->other))
EITHER(mutex_signal_one, pthread_cond_signal(o->other), cnd_signal(o->other))
CALL(mutex_signal, o->value != 0 ? mutex_broadcast(o) : mutex_signal_one(o))

/* These C11 does not have. */
CALL(mutex_clocklock, pthread_mutex_clocklock(o->object, o->clock, &o->at))
CALL(mutex_clockwait, pthread_cond_clockwait(o->other, o->object, o->clock, &o->at))
CALL(mutex_consistent, pthread_mutex_consistent(o->object))

static int destroy_cond(void *cond)
{
    if (!is_c11)
        return pthread_cond_destroy(cond);
    cnd_destroy(cond);
    return 0;
}

static long mutex_getceiling(struct order *o)
{
    int ceiling = -7;
    int e = pthread_mutex_getprioceiling(o->object, &ceiling);

    return e == 0 ? 1000 + ceiling : e;
}

static long mutex_setceiling(struct order *o)
{
    int old = -7;
    int e = pthread_mutex_setprioceiling(o->object, o->value, &old);

    return e == 0 ? 1000 + old : e;
}

static long mutex_schedule(struct order *o)
{
    struct sched_param p = {.sched_priority = o->value};

    return pthread_setschedparam(pthread_self(), o->value != 0 ? SCHED_FIFO : SCHED_OTHER, &p);
}

static long mutex_schedule_of(struct order *o)
{
    struct sched_param p;
    int policy;
    int e = pthread_getschedparam(pthread_self(), &policy, &p);

    (void)o;
    return e != 0 ? e : 1000 * policy + p.sched_priority;
}

/*
 * May this process use SCHED_FIFO?  A ceiling means something to real-time threads only; to others,
 * the C library forgets that it has refused them.
 */
static bool mutex_may_be_real_time(void)
{
    static int answer = -1;
    struct sched_param lowest = {.sched_priority = 1}, none = {0};

    if (answer == -1)
        answer = sched_setscheduler(0, SCHED_FIFO, &lowest) == 0 &&
                 sched_setscheduler(0, SCHED_OTHER, &none) == 0;
    return answer == 1;
}

#endif
