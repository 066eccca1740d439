/* SPDX-License-Identifier: MIT */
/*
 * pthread_mutex_* and mtx_* of the library that checks: the drop-in's own (mutex.c), with a look at
 * the order before, and at what the thread holds after.
 *
 * The number of a private mutex's node is where the C library has the owner's id, which the drop-in
 * does not use there.  The others are found by their address.
 *
 * Where a lock cannot fail, it counts as held before it is: then the call that takes it can be the
 * last one here (a jump), and its caller is the program.
 */
#include "mutex.h"

#include <errno.h>
#include <stddef.h>

#include "c11.h"
#include "check.h"
#include "core/attributes.h"
#include "export.h"
#include "lock.h"
#include "mutex_init.h"
#include "mutexattr.h"
#include "object.h"
#include "stat.h"

_Static_assert(offsetof(struct fw_posix_mutex_, owner) == FW_CHECK_NUMBER_AT, "room for it");

static bool is_plain(const struct fw_posix_mutex_ *m)
{
    return __builtin_expect(fw_kind_is_plain_(m->kind), 1);
}

struct fw_check_target_ fw_check_mutex_target_(pthread_mutex_t *p)
{
    struct fw_posix_mutex_ *m = fw_posix_mutex_(p);
    int type = fw_kind_type_(m->kind);

    return (struct fw_check_target_){.object = m,
                                     .node = is_plain(m) ? &m->owner : NULL,
                                     .is_recursive = type == FW_KIND_RECURSIVE,
                                     .refuses_relock = type == FW_KIND_ERRORCHECK};
}

/* The owner's thread id; 0: nobody. */
static uint32_t owner_of_mutex(const struct fw_posix_mutex_ *m)
{
    return is_plain(m) ? (uint32_t)fw_mutex_owner(&m->lock) : FW_CHECK_UNKNOWN;
}

bool fw_check_owns_mutex_(pthread_mutex_t *p)
{
    const struct fw_check_thread_ *t = fw_check_me_;
    uint32_t owner = owner_of_mutex(fw_posix_mutex_(p));

    return t == NULL || owner == t->thread || owner == FW_CHECK_UNKNOWN;
}

static bool was_got(int error)
{
    return error == 0 || error == EOWNERDEAD;
}

static int lock(pthread_mutex_t *p, const fw_deadline *deadline, const void *site)
{
    struct fw_check_target_ target = fw_check_mutex_target_(p);
    int error;

    fw_check_before_(&target, deadline == NULL ? FW_CHECK_WAITS : FW_CHECK_TRIES, site);
    error = fw_posix_mutex_lock_until_(p, deadline, site);
    if (was_got(error))
        fw_check_got_(&target, site);
    return error;
}

NOINLINE static int lock_slow(pthread_mutex_t *p, const void *site)
{
    return lock(p, NULL, site);
}

static int fw_check_mutex_lock_(pthread_mutex_t *p)
{
    struct fw_posix_mutex_ *m = fw_posix_mutex_(p);

    if (__builtin_expect(m->kind == FW_KIND_NORMAL, 1) &&
        __builtin_expect(fw_check_enter_(m, m->owner << 1, FW_SITE_), 1))
        return fw_posix_mutex_lock_(p);
    return lock_slow(p, FW_SITE_);
}
FW_EXPORT(fw_check_mutex_lock_, pthread_mutex_lock, GLIBC_2_2_5);
FW_EXPORT(fw_check_mutex_lock_, __pthread_mutex_lock, GLIBC_2_2_5);

static int trylock(pthread_mutex_t *p, const void *site)
{
    struct fw_check_target_ target = fw_check_mutex_target_(p);
    int error = fw_posix_mutex_trylock_(p);

    if (is_plain(fw_posix_mutex_(p)) && error == 0)
        fw_stat_took_(fw_posix_mutex_(p), site);
    if (was_got(error))
        fw_check_got_(&target, site);
    return error;
}

static int fw_check_mutex_trylock_(pthread_mutex_t *p)
{
    return trylock(p, FW_SITE_);
}
FW_EXPORT(fw_check_mutex_trylock_, pthread_mutex_trylock, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_mutex_trylock_, pthread_mutex_trylock, GLIBC_2_2_5);
FW_EXPORT(fw_check_mutex_trylock_, __pthread_mutex_trylock, GLIBC_2_2_5);

static int fw_check_mutex_timedlock_(pthread_mutex_t *p, const struct timespec *at)
{
    fw_deadline deadline = fw_posix_mutex_deadline_(p, at, CLOCK_REALTIME);

    return lock(p, &deadline, FW_SITE_);
}
FW_EXPORT(fw_check_mutex_timedlock_, pthread_mutex_timedlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_mutex_timedlock_, pthread_mutex_timedlock, GLIBC_2_2_5);

static int fw_check_mutex_clocklock_(pthread_mutex_t *p, clockid_t clock, const struct timespec *at)
{
    fw_deadline deadline = fw_posix_mutex_deadline_(p, at, clock);

    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    return lock(p, &deadline, FW_SITE_);
}
FW_EXPORT(fw_check_mutex_clocklock_, pthread_mutex_clocklock, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_mutex_clocklock_, pthread_mutex_clocklock, GLIBC_2_30);

/* A type that has an owner refuses to be unlocked by others: that is all that happens. */
NOINLINE static int unlock_slow(pthread_mutex_t *p, const void *site)
{
    fw_check_release_(p, owner_of_mutex(fw_posix_mutex_(p)), site);
    return fw_posix_mutex_unlock_(p);
}

static int fw_check_mutex_unlock_(pthread_mutex_t *p)
{
    if (__builtin_expect(fw_check_leave_(p), 1))
        return fw_posix_mutex_unlock_(p);
    return unlock_slow(p, FW_SITE_);
}
FW_EXPORT(fw_check_mutex_unlock_, pthread_mutex_unlock, GLIBC_2_2_5);
FW_EXPORT(fw_check_mutex_unlock_, __pthread_mutex_unlock, GLIBC_2_2_5);

/* --- Beginning and end ------------------------------------------------------------------------ */

static void made(pthread_mutex_t *p, const void *site)
{
    struct fw_posix_mutex_ *m = fw_posix_mutex_(p);

    if (is_plain(m))
        fw_store32_relaxed(&m->owner, fw_check_made_(m, site));
}

/* Whatever lay there: only what this thread itself holds is sure to be a lock. */
static int init(pthread_mutex_t *p, const pthread_mutexattr_t *a, const void *site)
{
    int error;

    fw_check_reused_(p, site);
    error = fw_posix_mutex_init_(p, a);
    if (error == 0)
        made(p, site);
    return error;
}

static int fw_check_mutex_init_(pthread_mutex_t *p, const pthread_mutexattr_t *a)
{
    return init(p, a, FW_SITE_);
}
FW_EXPORT(fw_check_mutex_init_, pthread_mutex_init, GLIBC_2_2_5);
FW_EXPORT(fw_check_mutex_init_, __pthread_mutex_init, GLIBC_2_2_5);

static int destroy(pthread_mutex_t *p, const void *site)
{
    int error = fw_posix_mutex_destroy_(p);

    fw_check_destroyed_(p, error == EBUSY, site);
    return error;
}

static int fw_check_mutex_destroy_(pthread_mutex_t *p)
{
    return destroy(p, FW_SITE_);
}
FW_EXPORT(fw_check_mutex_destroy_, pthread_mutex_destroy, GLIBC_2_2_5);
FW_EXPORT(fw_check_mutex_destroy_, __pthread_mutex_destroy, GLIBC_2_2_5);

/* --- C11 -------------------------------------------------------------------------------------- */

static pthread_mutex_t *mutex_of(mtx_t *m)
{
    return (pthread_mutex_t *)m;
}

static int fw_check_mtx_init_(mtx_t *m, int type)
{
    int result;

    fw_check_reused_(m, FW_SITE_);
    result = fw_c11_mtx_init_(m, type);
    if (result == thrd_success)
        made(mutex_of(m), FW_SITE_);
    return result;
}
FW_EXPORT(fw_check_mtx_init_, mtx_init, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_mtx_init_, mtx_init, GLIBC_2_28);

static void fw_check_mtx_destroy_(mtx_t *m)
{
    destroy(mutex_of(m), FW_SITE_);
}
FW_EXPORT(fw_check_mtx_destroy_, mtx_destroy, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_mtx_destroy_, mtx_destroy, GLIBC_2_28);

static int fw_check_mtx_lock_(mtx_t *m)
{
    return fw_c11_result_(lock(mutex_of(m), NULL, FW_SITE_));
}
FW_EXPORT(fw_check_mtx_lock_, mtx_lock, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_mtx_lock_, mtx_lock, GLIBC_2_28);

static int fw_check_mtx_trylock_(mtx_t *m)
{
    return fw_c11_result_(trylock(mutex_of(m), FW_SITE_));
}
FW_EXPORT(fw_check_mtx_trylock_, mtx_trylock, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_mtx_trylock_, mtx_trylock, GLIBC_2_28);

static int fw_check_mtx_timedlock_(mtx_t *m, const struct timespec *at)
{
    fw_deadline deadline = fw_posix_mutex_deadline_(mutex_of(m), at, CLOCK_REALTIME);

    return fw_c11_result_(lock(mutex_of(m), &deadline, FW_SITE_));
}
FW_EXPORT(fw_check_mtx_timedlock_, mtx_timedlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_mtx_timedlock_, mtx_timedlock, GLIBC_2_28);

static int fw_check_mtx_unlock_(mtx_t *m)
{
    return fw_c11_result_(fw_check_leave_(m) ? fw_posix_mutex_unlock_(mutex_of(m))
                                             : unlock_slow(mutex_of(m), FW_SITE_));
}
FW_EXPORT(fw_check_mtx_unlock_, mtx_unlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_mtx_unlock_, mtx_unlock, GLIBC_2_28);
