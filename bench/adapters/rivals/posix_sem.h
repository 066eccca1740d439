/* SPDX-License-Identifier: MIT */
#ifndef FW_ADAPTERS_POSIX_SEM_H
#define FW_ADAPTERS_POSIX_SEM_H

#include <errno.h>
#include <semaphore.h>
#include <time.h>

/* Signals end a wait; a lock, or a semaphore here, goes on waiting. */
static inline void posix_sem_down(sem_t *s)
{
    while (sem_wait(s) != 0 && errno == EINTR)
        ;
}

/* ThreadSanitizer does not know sem_clockwait, and would report everything that it protects. */
#ifndef __SANITIZE_THREAD__
static inline int posix_sem_down_until(sem_t *s, const struct timespec *at)
{
    int result;

    while ((result = sem_clockwait(s, CLOCK_MONOTONIC, at)) != 0 && errno == EINTR)
        ;
    return result == 0 ? 0 : errno;
}
#endif

#endif
