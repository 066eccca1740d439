/* SPDX-License-Identifier: MIT */
#ifndef FW_CONFORM_ALLOCATE_ONCE_H
#define FW_CONFORM_ALLOCATE_ONCE_H

#include <stddef.h>

/* The object at *place; the first to ask makes it. */
static inline void *allocate_once(void **place, void *(*make)(void *),
                                  void (*unmake)(void *closure, void *object), void *closure)
{
    void *found = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    void *made;

    if (found != NULL)
        return found;
    made = make(closure);
    if (__atomic_compare_exchange_n(place, &found, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    unmake(closure, made);
    return found;
}

#endif
