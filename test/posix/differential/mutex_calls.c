// SPDX-License-Identifier: MIT
// Contract: mutex_calls.h.
#include "mutex_calls.h"

long mutex_lock(struct order *o)
{
    return pthread_mutex_lock(o->object);
}

long mutex_trylock(struct order *o)
{
    return pthread_mutex_trylock(o->object);
}

long mutex_timedlock(struct order *o)
{
    return pthread_mutex_timedlock(o->object, &o->at);
}

long mutex_clocklock(struct order *o)
{
    return pthread_mutex_clocklock(o->object, o->clock, &o->at);
}

long mutex_unlock(struct order *o)
{
    return pthread_mutex_unlock(o->object);
}

long mutex_consistent(struct order *o)
{
    return pthread_mutex_consistent(o->object);
}

long mutex_getceiling(struct order *o)
{
    int ceiling = -7;
    int e = pthread_mutex_getprioceiling(o->object, &ceiling);

    return e == 0 ? 1000 + ceiling : e;
}

long mutex_setceiling(struct order *o)
{
    int old = -7;
    int e = pthread_mutex_setprioceiling(o->object, o->value, &old);

    return e == 0 ? 1000 + old : e;
}

long mutex_destroy(struct order *o)
{
    return pthread_mutex_destroy(o->object);
}

long mutex_wait(struct order *o)
{
    return pthread_cond_wait(o->other, o->object);
}

long mutex_timedwait(struct order *o)
{
    return pthread_cond_timedwait(o->other, o->object, &o->at);
}

long mutex_clockwait(struct order *o)
{
    return pthread_cond_clockwait(o->other, o->object, o->clock, &o->at);
}

long mutex_signal(struct order *o)
{
    return o->value != 0 ? pthread_cond_broadcast(o->other) : pthread_cond_signal(o->other);
}

long mutex_schedule(struct order *o)
{
    struct sched_param p = {.sched_priority = o->value};

    return pthread_setschedparam(pthread_self(), o->value != 0 ? SCHED_FIFO : SCHED_OTHER, &p);
}

long mutex_schedule_of(struct order *o)
{
    struct sched_param p;
    int policy;
    int e = pthread_getschedparam(pthread_self(), &policy, &p);

    (void)o;
    return e != 0 ? e : 1000 * policy + p.sched_priority;
}

bool mutex_may_be_real_time(void)
{
    static int answer = -1;
    struct sched_param lowest = {.sched_priority = 1}, none = {0};

    if (answer == -1)
        answer = sched_setscheduler(0, SCHED_FIFO, &lowest) == 0 &&
                 sched_setscheduler(0, SCHED_OTHER, &none) == 0;
    return answer == 1;
}
