/* SPDX-License-Identifier: MIT */
#ifndef FOREIGN_H
#define FOREIGN_H

#include <pthread.h>

/*
 * A guard as a library has it, inlined in two steps.  Debug information says that it is from a
 * header of the system: what is shown of a wait is who calls it.
 */
#line 13 "/usr/include/foreign.h"
__attribute__((always_inline)) static inline void foreign_lock(pthread_mutex_t *m)
{
    pthread_mutex_lock(m);
}

__attribute__((always_inline)) static inline void foreign_guard(pthread_mutex_t *m)
{
    foreign_lock(m);
}

#endif
