/* SPDX-License-Identifier: MIT */
#ifndef FW_ADAPTERS_COND_ADAPTER_H
#define FW_ADAPTERS_COND_ADAPTER_H

#include "bench/adapters/adapter_head.h"

FW_BEGIN_DECLS

/*
 * A mutex and a condition variable of one maker, in one object, described once: cond_adapter_list,
 * cond_adapter_find, cond_adapter_make and their like are in adapter_head.h.
 *
 * Signal and broadcast may be called with or without the mutex.  A wait may end for no reason: look
 * at the condition again.  ADAPTER_FREEABLE: the condition variable may be destroyed, and its
 * memory used for something else, as soon as every waiter has been woken, though they have not
 * returned; ADAPTER_OWNER: a wait without the mutex aborts the program.  Few claim ADAPTER_EXACT:
 * POSIX and Abseil allow a wait to take a signal along and to say that it timed out.
 */
struct cond_adapter {
    ADAPTER_HEAD
    size_t cond_at; /* where in the object the condition variable lies */
    size_t cond_size;
    void (*destroy_cond)(void *object); /* it alone; NULL: nothing to do */
    void (*lock)(void *object);
    void (*unlock)(void *object);
    void (*wait)(void *object); /* with the mutex held; returns with it held */
    int (*timedwait)(void *object, const struct timespec *monotonic); /* 0, ETIMEDOUT; NULL: none */
    void (*signal)(void *object);
    void (*broadcast)(void *object);
    /* With the mutex held, until holds(arg), without a signal; NULL: it has none. */
    int (*await)(void *object, bool (*holds)(void *arg), void *arg,
                 const struct timespec *monotonic); /* 0, ETIMEDOUT */
};

ADAPTER_FAMILY(cond_adapter)

FW_END_DECLS

#endif
