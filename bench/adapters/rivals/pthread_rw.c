/* SPDX-License-Identifier: MIT */
/* The C library's read-write lock, in the two of its kinds that differ. */
#include <pthread.h>

#include "bench/adapters/rw_adapter_define.h"

static int make(pthread_rwlock_t *l, bool shared, int kind)
{
    pthread_rwlockattr_t attr;
    int error = pthread_rwlockattr_init(&attr);

    if (error != 0)
        return error;
    error = pthread_rwlockattr_setkind_np(&attr, kind);
    if (error == 0 && shared)
        error = pthread_rwlockattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    if (error == 0)
        error = pthread_rwlock_init(l, &attr);
    pthread_rwlockattr_destroy(&attr);
    return error;
}

RW_CALLS(rwlock, pthread_rwlock_t, pthread_rwlock_rdlock(l), pthread_rwlock_unlock(l),
         pthread_rwlock_wrlock(l), pthread_rwlock_unlock(l))
RW_TRIES(rwlock, pthread_rwlock_t, pthread_rwlock_tryrdlock(l), pthread_rwlock_trywrlock(l))

/* ThreadSanitizer does not know these calls, and would report everything that they protect. */
#ifdef __SANITIZE_THREAD__
#define rwlock_rd_timedlock_ NULL
#define rwlock_wr_timedlock_ NULL
#else
RW_TIMED(rwlock, pthread_rwlock_t, pthread_rwlock_clockrdlock(l, CLOCK_MONOTONIC, at),
         pthread_rwlock_clockwrlock(l, CLOCK_MONOTONIC, at))
#endif

ADAPTER_DESTROY(rwlock, pthread_rwlock_t, pthread_rwlock_destroy(l))
ADAPTER_INIT(rw_readers, pthread_rwlock_t, make(l, shared, PTHREAD_RWLOCK_PREFER_READER_NP))
ADAPTER_INIT(rw_writers, pthread_rwlock_t,
             make(l, shared, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP))

#define PTHREAD_RWLOCK_KIND(init_)                                                           \
    .family = FAMILY_RIVAL, .flags = ADAPTER_SHARED | ADAPTER_BLOCKS,                        \
    ADAPTER_OBJECT(pthread_rwlock_t, init_), .destroy = rwlock_destroy_, RW_MEMBERS(rwlock), \
    RW_TRY_MEMBERS(rwlock), RW_TIMED_MEMBERS(rwlock)

const struct rw_adapter rw_adapter_pthread = {
    .name = "pthread-rw",
    .about = "pthread_rwlock_t of the C library, as it comes: readers first",
    .preference = RW_PREFER_READERS,
    PTHREAD_RWLOCK_KIND(rw_readers_init_),
};

const struct rw_adapter rw_adapter_pthread_writers = {
    .name = "pthread-rw-writers",
    .about = "pthread_rwlock_t of the C library, writers first (not recursive)",
    .preference = RW_PREFER_WRITERS,
    PTHREAD_RWLOCK_KIND(rw_writers_init_),
};
