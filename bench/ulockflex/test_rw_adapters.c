/* SPDX-License-Identifier: MIT */
#include <pthread.h>

#include "bench/adapters/rw_adapter.h"

/*
 * Read-write locks for the tests of ulockflex itself: good ones, and two that are broken in the
 * ways that ulockflex must notice.
 */

static int rw_init(void *lock, bool shared)
{
    pthread_rwlockattr_t attr;

    pthread_rwlockattr_init(&attr);
    pthread_rwlockattr_setpshared(&attr, shared ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE);
    return pthread_rwlock_init(lock, &attr);
}

static void rd(void *lock)
{
    pthread_rwlock_rdlock(lock);
}

static void wr(void *lock)
{
    pthread_rwlock_wrlock(lock);
}

static void leave(void *lock)
{
    pthread_rwlock_unlock(lock);
}

static int try_rd(void *lock)
{
    return pthread_rwlock_tryrdlock(lock);
}

static int try_wr(void *lock)
{
    return pthread_rwlock_trywrlock(lock);
}

static void nothing(void *lock)
{
    (void)lock;
}

#define RWLOCK .size = sizeof(pthread_rwlock_t), .align = 8, .init = rw_init

static const struct rw_adapter adapters[] = {
    {.name = "furwock-rw",
     .about = "for threads only",
     .family = FAMILY_FURWOCK,
     .flags = ADAPTER_BLOCKS,
     RWLOCK,
     .preference = RW_PREFER_FAIR,
     .rdlock = rd,
     .rdunlock = leave,
     .wrlock = wr,
     .wrunlock = leave,
     .tryrdlock = try_rd,
     .trywrlock = try_wr},
    {.name = "pthread-rw",
     .about = "a read-write lock",
     .family = FAMILY_RIVAL,
     .flags = ADAPTER_SHARED | ADAPTER_BLOCKS,
     RWLOCK,
     .preference = RW_PREFER_READERS,
     .rdlock = rd,
     .rdunlock = leave,
     .wrlock = wr,
     .wrunlock = leave},
    {.name = "spinning",
     .about = "said to poll only",
     .family = FAMILY_RIVAL,
     .flags = ADAPTER_SPINS,
     RWLOCK,
     .preference = RW_PREFER_FAIR,
     .rdlock = rd,
     .rdunlock = leave,
     .wrlock = wr,
     .wrunlock = leave},
    {.name = "blind",
     .about = "lets readers in at any time",
     .family = FAMILY_RIVAL,
     .flags = ADAPTER_BLOCKS,
     RWLOCK,
     .rdlock = nothing,
     .rdunlock = nothing,
     .wrlock = wr,
     .wrunlock = leave},
    {.name = "loose",
     .about = "lets writers in as if they read",
     .family = FAMILY_RIVAL,
     .flags = ADAPTER_BLOCKS,
     RWLOCK,
     .rdlock = rd,
     .rdunlock = leave,
     .wrlock = rd,
     .wrunlock = leave},
};

const struct rw_adapter *rw_adapter_list[] = {&adapters[0], &adapters[1], &adapters[2],
                                              &adapters[3], &adapters[4], NULL};

struct missing_adapter rw_adapter_missing[] = {{"absent-rw", "install libabsent-dev"},
                                               {NULL, NULL}};
