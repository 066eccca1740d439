/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_MUTEX_MODEL_H
#define FW_TEST_MUTEX_MODEL_H

/* For mutex.c: the mutex and the condition variable, and what is known of them. */
#include <errno.h>

#include "mutex_calls.h"

#define DEPTH 4

static union {
    pthread_mutex_t posix;
    mtx_t c11;
} m;
static union {
    pthread_cond_t posix;
    cnd_t c11;
} c;

static struct {
    int type, protocol;
    bool shared, robust;
    int owner, depth;
    int locker, waiter; /* who sleeps */
    int signalled;      /* the locker, where it has waited before */
    bool inconsistent, lost;
    int before, before_depth; /* who held it when a wait began */
    bool is_new;              /* a mutex, or a thread (of ordinary priority) */
} model;

static bool is_checked(void)
{
    return model.type == PTHREAD_MUTEX_ERRORCHECK || model.type == PTHREAD_MUTEX_RECURSIVE;
}

/* What is known of the object. */

static bool takes(const struct order *o)
{
    return o->call == mutex_lock || o->call == mutex_trylock || o->call == mutex_timedlock ||
           o->call == mutex_clocklock;
}

static bool waits(const struct order *o)
{
    return o->call == mutex_wait || o->call == mutex_timedwait || o->call == mutex_clockwait;
}

static void took(int who, long result)
{
    if (result == 0 || result == EOWNERDEAD) {
        model.depth = model.owner == who ? model.depth + 1 : 1;
        model.owner = who;
        if (result == EOWNERDEAD)
            model.inconsistent = true;
    } else if (result == ENOTRECOVERABLE) {
        model.lost = true;
    }
}

static void released(void)
{
    if (--model.depth > 0)
        return;
    model.owner = NO_ACTOR;
    if (model.inconsistent)
        model.lost = true;
    model.inconsistent = false;
}

static void mutex_ended(int who, const struct order *o, long result)
{
    if (model.locker == who)
        model.locker = model.signalled = NO_ACTOR;
    if (model.waiter == who)
        model.waiter = NO_ACTOR;
    if (takes(o)) {
        took(who, result);
    } else if (o->call == mutex_unlock && (result == 0 || result == ENOTRECOVERABLE)) {
        released(); /* the latter is said of each inner release while it is inconsistent */
    } else if (waits(o) && (result == EPERM || result == EINVAL)) {
        model.owner = model.before;
        model.depth = model.before_depth;
    } else if (waits(o)) {
        took(who, result == ETIMEDOUT ? 0 : result);
    } else if (o->call == mutex_consistent && result == 0) {
        model.inconsistent = false;
    }
}

#endif
