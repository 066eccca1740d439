/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_WATCH_H
#define FW_ATOMIC_WATCH_H

#include <stdbool.h>

/*
 * Tells ThreadSanitizer, where the program has it, what an operation on an object orders.  It
 * cannot see that by itself: the library is not instrumented, and it does not follow fences.
 */
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

static inline bool fw_is_watched_(void)
{
    return __builtin_expect(__tsan_acquire != 0, 0);
}

/* After a load: what was done before the store whose value was read is before what comes now. */
static inline void fw_watch_acquire_(const void *object, int order)
{
    if (fw_is_watched_() && order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE)
        __tsan_acquire((void *)(unsigned long)object);
}

/* Before a store becomes visible. */
static inline void fw_watch_release_(const void *object, int order)
{
    if (fw_is_watched_() && order != __ATOMIC_RELAXED && order != __ATOMIC_ACQUIRE &&
        order != __ATOMIC_CONSUME)
        __tsan_release((void *)(unsigned long)object);
}

#endif
