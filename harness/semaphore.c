/* SPDX-License-Identifier: MIT */
/* A POSIX semaphore of one unit, used as a lock. */
#include <semaphore.h>

#include "adapter_define.h"

/* Signals end a wait; a lock goes on waiting. */
static void down(sem_t *s)
{
    while (sem_wait(s) != 0 && errno == EINTR)
        ;
}

ADAPTER_INIT(sem, sem_t, sem_init(l, shared, 1) == 0 ? 0 : errno)
ADAPTER_DESTROY(sem, sem_t, sem_destroy(l))
ADAPTER_CALLS(sem, sem_t, down(l), sem_post(l))
ADAPTER_TRYLOCK(sem, sem_t, sem_trywait(l) == 0 ? 0 : EBUSY)

/* ThreadSanitizer does not know sem_clockwait, and would report everything that it protects. */
#ifdef __SANITIZE_THREAD__
#define sem_timedlock_ NULL
#else
static int down_until(sem_t *s, const struct timespec *at)
{
    int result;

    while ((result = sem_clockwait(s, CLOCK_MONOTONIC, at)) != 0 && errno == EINTR)
        ;
    return result == 0 ? 0 : errno;
}

ADAPTER_TIMEDLOCK(sem, sem_t, down_until(l, at))
#endif

const struct adapter adapter_sem_posix = {
    .name = "sem-posix",
    .about = "sem_t of the C library, with one unit",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_SHARED | ADAPTER_BLOCKS | ADAPTER_FREEABLE,
    ADAPTER_TYPE(sem, sem_t),
    .destroy = sem_destroy_,
    .trylock = sem_trylock_,
    .timedlock = sem_timedlock_,
};
