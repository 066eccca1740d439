/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/adapters/adapter.h"

/*
 * Locks for the tests of ulockflex itself: good ones, and four that are broken in the ways that
 * ulockflex must notice.
 */

static int init_nothing(void *lock, bool shared)
{
    (void)lock;
    (void)shared;
    return 0;
}

static void do_nothing(void *lock)
{
    (void)lock;
}

static int try_nothing(void *lock)
{
    (void)lock;
    return 0;
}

static int mutex_init(void *lock, bool shared)
{
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setpshared(&attr, shared ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE);
    return pthread_mutex_init(lock, &attr);
}

static void mutex_lock(void *lock)
{
    pthread_mutex_lock(lock);
}

static void mutex_unlock(void *lock)
{
    pthread_mutex_unlock(lock);
}

static int mutex_trylock(void *lock)
{
    return pthread_mutex_trylock(lock);
}

static void stuck_lock(void *lock)
{
    (void)lock;
    for (;;)
        pause();
}

static void crash_lock(void *lock)
{
    (void)lock;
    abort();
}

static int full_init(void *lock, bool shared)
{
    (void)lock;
    (void)shared;
    return ENOSPC;
}

#define EVERYWHERE (ADAPTER_SHARED | ADAPTER_BLOCKS)

static const struct adapter adapters[] = {
    {.name = "none",
     .about = "no lock",
     .family = FAMILY_CLASSIC,
     .flags = EVERYWHERE,
     .size = 4,
     .align = 4,
     .init = init_nothing,
     .lock = do_nothing,
     .unlock = do_nothing,
     .trylock = try_nothing},
    {.name = "pthread",
     .about = "a mutex",
     .family = FAMILY_RIVAL,
     .flags = EVERYWHERE,
     .size = sizeof(pthread_mutex_t),
     .align = 8,
     .init = mutex_init,
     .lock = mutex_lock,
     .unlock = mutex_unlock,
     .trylock = mutex_trylock},
    {.name = "sysv",
     .about = "another mutex",
     .family = FAMILY_CLASSIC,
     .flags = EVERYWHERE,
     .size = sizeof(pthread_mutex_t),
     .align = 8,
     .init = mutex_init,
     .lock = mutex_lock,
     .unlock = mutex_unlock},
    {.name = "private",
     .about = "for threads only",
     .family = FAMILY_FURWOCK,
     .flags = ADAPTER_BLOCKS,
     .size = sizeof(pthread_mutex_t),
     .align = 8,
     .init = mutex_init,
     .lock = mutex_lock,
     .unlock = mutex_unlock,
     .trylock = mutex_trylock},
    {.name = "stuck",
     .about = "never granted",
     .family = FAMILY_RIVAL,
     .flags = EVERYWHERE,
     .size = 4,
     .align = 4,
     .init = init_nothing,
     .lock = stuck_lock,
     .unlock = do_nothing},
    {.name = "crash",
     .about = "ends its caller",
     .family = FAMILY_RIVAL,
     .flags = EVERYWHERE,
     .size = 4,
     .align = 4,
     .init = init_nothing,
     .lock = crash_lock,
     .unlock = do_nothing},
    {.name = "full",
     .about = "cannot be made",
     .family = FAMILY_RIVAL,
     .flags = EVERYWHERE,
     .size = 4,
     .align = 4,
     .init = full_init,
     .lock = do_nothing,
     .unlock = do_nothing},
};

const struct adapter *adapter_list[] = {&adapters[0], &adapters[1], &adapters[2], &adapters[3],
                                        &adapters[4], &adapters[5], &adapters[6], NULL};

struct missing_adapter adapter_missing[] = {{"absent", "install libabsent-dev"}, {NULL, NULL}};
