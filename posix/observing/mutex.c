/* SPDX-License-Identifier: MIT */
/*
 * libfurwock-pthread-observe.so, for `furwock run --observe`: the C library's own locks, with the
 * counting of --stat (counting/) around each wait.  A call is tried first; only if it would wait,
 * it is counted, and made as the program has made it.
 *
 * Here: mutexes, C11's among them.
 *
 * Where the owner took a mutex is kept where robust ones have their list, which others do not use
 * (object.h): so that is not known of robust ones.
 */
#include <errno.h>
#include <pthread.h>
#include <threads.h>

#include "export.h"
#include "next.h"
#include "object.h"
#include "stat.h"

static struct fw_posix_mutex_ *mutex_of(void *m)
{
    return m;
}

static bool is_robust(const struct fw_posix_mutex_ *m)
{
    return (m->kind & FW_KIND_ROBUST) != 0;
}

static int got(struct fw_posix_mutex_ *m, int error, const void *site)
{
    if (error == 0 && !is_robust(m))
        fw_stat_took_(m, site);
    return error;
}

static void begin(struct fw_stat_ *stat, struct fw_posix_mutex_ *m, const void *site)
{
    fw_stat_begin_(stat, FW_STAT_MUTEX, m, site);
    fw_stat_holder_(stat, (int)(m->owner & INT32_MAX), is_robust(m) ? NULL : m->site);
}

static int end(struct fw_stat_ *stat, struct fw_posix_mutex_ *m, int error, const void *site)
{
    fw_stat_end_(stat, error);
    return got(m, error, site);
}

static int observe_lock(pthread_mutex_t *m)
{
    struct fw_stat_ stat;
    int error = NEXT(pthread_mutex_trylock)(m);

    if (error != EBUSY)
        return got(mutex_of(m), error, FW_SITE_);
    begin(&stat, mutex_of(m), FW_SITE_);
    return end(&stat, mutex_of(m), NEXT(pthread_mutex_lock)(m), FW_SITE_);
}
FW_EXPORT(observe_lock, pthread_mutex_lock, GLIBC_2_2_5);
FW_EXPORT(observe_lock, __pthread_mutex_lock, GLIBC_2_2_5);

static int observe_trylock(pthread_mutex_t *m)
{
    return got(mutex_of(m), NEXT(pthread_mutex_trylock)(m), FW_SITE_);
}
FW_EXPORT(observe_trylock, pthread_mutex_trylock, GLIBC_2_34);
FW_EXPORT_OLD(observe_trylock, pthread_mutex_trylock, GLIBC_2_2_5);
FW_EXPORT(observe_trylock, __pthread_mutex_trylock, GLIBC_2_2_5);

static int observe_timedlock(pthread_mutex_t *m, const struct timespec *at)
{
    struct fw_stat_ stat;
    int error = NEXT(pthread_mutex_trylock)(m);

    if (error != EBUSY)
        return got(mutex_of(m), error, FW_SITE_);
    begin(&stat, mutex_of(m), FW_SITE_);
    return end(&stat, mutex_of(m), NEXT(pthread_mutex_timedlock)(m, at), FW_SITE_);
}
FW_EXPORT(observe_timedlock, pthread_mutex_timedlock, GLIBC_2_34);
FW_EXPORT_OLD(observe_timedlock, pthread_mutex_timedlock, GLIBC_2_2_5);

static int observe_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *at)
{
    struct fw_stat_ stat;
    bool is_known = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; /* else EINVAL */
    int error = is_known ? NEXT(pthread_mutex_trylock)(m) : EBUSY;

    if (error != EBUSY)
        return got(mutex_of(m), error, FW_SITE_);
    begin(&stat, mutex_of(m), FW_SITE_);
    return end(&stat, mutex_of(m), NEXT(pthread_mutex_clocklock)(m, clock, at), FW_SITE_);
}
FW_EXPORT(observe_clocklock, pthread_mutex_clocklock, GLIBC_2_34);
FW_EXPORT_OLD(observe_clocklock, pthread_mutex_clocklock, GLIBC_2_30);

/* --- C11 -------------------------------------------------------------------------------------- */

static int observe_mtx_lock(mtx_t *m)
{
    struct fw_stat_ stat;
    int result = NEXT(mtx_trylock)(m);

    if (result != thrd_busy)
        return got(mutex_of(m), result, FW_SITE_);
    begin(&stat, mutex_of(m), FW_SITE_);
    return end(&stat, mutex_of(m), NEXT(mtx_lock)(m), FW_SITE_);
}
FW_EXPORT(observe_mtx_lock, mtx_lock, GLIBC_2_34);
FW_EXPORT_OLD(observe_mtx_lock, mtx_lock, GLIBC_2_28);

static int observe_mtx_timedlock(mtx_t *m, const struct timespec *at)
{
    struct fw_stat_ stat;
    int result = NEXT(mtx_trylock)(m);

    if (result != thrd_busy)
        return got(mutex_of(m), result, FW_SITE_);
    begin(&stat, mutex_of(m), FW_SITE_);
    return end(&stat, mutex_of(m), NEXT(mtx_timedlock)(m, at), FW_SITE_);
}
FW_EXPORT(observe_mtx_timedlock, mtx_timedlock, GLIBC_2_34);
FW_EXPORT_OLD(observe_mtx_timedlock, mtx_timedlock, GLIBC_2_28);

_Static_assert(thrd_success == 0, "results of C11 as errors");
