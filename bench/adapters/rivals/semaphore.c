/* SPDX-License-Identifier: MIT */
/* A POSIX semaphore of one unit, used as a lock. */
#include "bench/adapters/adapter_define.h"
#include "posix_sem.h"

ADAPTER_INIT(sem, sem_t, sem_init(l, shared, 1) == 0 ? 0 : errno)
ADAPTER_DESTROY(sem, sem_t, sem_destroy(l))
ADAPTER_CALLS(sem, sem_t, posix_sem_down(l), sem_post(l))
ADAPTER_TRYLOCK(sem, sem_t, sem_trywait(l) == 0 ? 0 : EBUSY)

#ifdef __SANITIZE_THREAD__
#define sem_timedlock_ NULL
#else
ADAPTER_TIMEDLOCK(sem, sem_t, posix_sem_down_until(l, at))
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
