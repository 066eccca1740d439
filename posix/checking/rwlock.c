/* SPDX-License-Identifier: MIT */
/*
 * pthread_rwlock_* of the library that checks.  The number of a private lock's node is in `spare`,
 * which nobody else uses; shared ones are found by their address.
 */
#include "rwlock.h"

#include <errno.h>
#include <stddef.h>

#include "check.h"
#include "export.h"
#include "lock.h"
#include "stat.h"
#include "sys/clock.h"

_Static_assert(offsetof(struct fw_posix_rwlock_, spare) == FW_CHECK_NUMBER_AT, "room for it");

enum { PREFERS_WRITERS = 2 }; /* and no reader passes one that waits: rwlock_kind.h */

static struct fw_posix_rwlock_ *lock_of(pthread_rwlock_t *p)
{
    return (struct fw_posix_rwlock_ *)p;
}

static bool is_private(const struct fw_posix_rwlock_ *l)
{
    return __builtin_expect(l->shared == 0, 1);
}

static uint32_t *node_of(struct fw_posix_rwlock_ *l)
{
    return (uint32_t *)&l->spare[0];
}

static struct fw_check_target_ target_of(pthread_rwlock_t *p, bool reads)
{
    struct fw_posix_rwlock_ *l = lock_of(p);

    return (struct fw_check_target_){.object = l,
                                     .node = is_private(l) ? node_of(l) : NULL,
                                     .reads = reads,
                                     .blocks_readers = (l->kind & 3) == PREFERS_WRITERS};
}

__attribute__((noinline)) static int lock(pthread_rwlock_t *p, bool reads,
                                          const fw_deadline *deadline, const void *site)
{
    struct fw_check_target_ target = target_of(p, reads);
    int error;

    fw_check_before_(&target, deadline == NULL ? FW_CHECK_WAITS : FW_CHECK_TRIES, site);
    error = fw_posix_rwlock_lock_until_(p, reads ? FW_POSIX_RWLOCK_READ : FW_POSIX_RWLOCK_WRITE,
                                        deadline, site);
    if (error == 0)
        fw_check_got_(&target, site);
    return error;
}

static int timedlock(pthread_rwlock_t *p, bool reads, clockid_t clock, const struct timespec *at,
                     const void *site)
{
    fw_deadline deadline = {*at, clock};

    return fw_deadline_is_valid_(&deadline) ? lock(p, reads, &deadline, site) : EINVAL;
}

static int trylock(pthread_rwlock_t *p, bool reads, const void *site)
{
    struct fw_check_target_ target = target_of(p, reads);
    int error = reads ? fw_posix_rwlock_tryrdlock_(p) : fw_posix_rwlock_trywrlock_(p);

    if (error == 0)
        fw_check_got_(&target, site);
    return error;
}

static int fw_check_rwlock_init_(pthread_rwlock_t *p, const pthread_rwlockattr_t *attr)
{
    struct fw_posix_rwlock_ *l = lock_of(p);
    int error;

    fw_check_reused_(p, FW_SITE_);
    error = fw_posix_rwlock_init_(p, attr);
    if (error == 0 && is_private(l))
        fw_store32_relaxed(node_of(l), fw_check_made_(l, FW_SITE_));
    return error;
}
FW_EXPORT(fw_check_rwlock_init_, pthread_rwlock_init, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_rwlock_init_, pthread_rwlock_init, GLIBC_2_2_5);
FW_EXPORT_OLD(fw_check_rwlock_init_, __pthread_rwlock_init, GLIBC_2_2_5);

static int fw_check_rwlock_destroy_(pthread_rwlock_t *p)
{
    uint32_t thread;

    fw_check_destroyed_(p, fw_check_holder_(p, &thread) != NULL, FW_SITE_);
    return fw_posix_rwlock_destroy_(p);
}
FW_EXPORT(fw_check_rwlock_destroy_, pthread_rwlock_destroy, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_rwlock_destroy_, pthread_rwlock_destroy, GLIBC_2_2_5);
FW_EXPORT_OLD(fw_check_rwlock_destroy_, __pthread_rwlock_destroy, GLIBC_2_2_5);

static int fw_check_rwlock_tryrdlock_(pthread_rwlock_t *p)
{
    return trylock(p, true, FW_SITE_);
}
FW_EXPORT(fw_check_rwlock_tryrdlock_, pthread_rwlock_tryrdlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_rwlock_tryrdlock_, pthread_rwlock_tryrdlock, GLIBC_2_2_5);
FW_EXPORT_OLD(fw_check_rwlock_tryrdlock_, __pthread_rwlock_tryrdlock, GLIBC_2_2_5);

static int fw_check_rwlock_rdlock_(pthread_rwlock_t *p)
{
    struct fw_posix_rwlock_ *l = lock_of(p);

    if (is_private(l) && l->kind != PREFERS_WRITERS &&
        fw_check_enter_(l, *node_of(l) << 1 | 1, FW_SITE_))
        return fw_posix_rwlock_rdlock_(p);
    return lock(p, true, NULL, FW_SITE_);
}
FW_EXPORT(fw_check_rwlock_rdlock_, pthread_rwlock_rdlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_rwlock_rdlock_, pthread_rwlock_rdlock, GLIBC_2_2_5);
FW_EXPORT_OLD(fw_check_rwlock_rdlock_, __pthread_rwlock_rdlock, GLIBC_2_2_5);

static int fw_check_rwlock_timedrdlock_(pthread_rwlock_t *p, const struct timespec *at)
{
    return timedlock(p, true, CLOCK_REALTIME, at, FW_SITE_);
}
FW_EXPORT(fw_check_rwlock_timedrdlock_, pthread_rwlock_timedrdlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_rwlock_timedrdlock_, pthread_rwlock_timedrdlock, GLIBC_2_2_5);

static int fw_check_rwlock_clockrdlock_(pthread_rwlock_t *p, clockid_t clock,
                                        const struct timespec *at)
{
    return timedlock(p, true, clock, at, FW_SITE_);
}
FW_EXPORT(fw_check_rwlock_clockrdlock_, pthread_rwlock_clockrdlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_rwlock_clockrdlock_, pthread_rwlock_clockrdlock, GLIBC_2_30);

static int fw_check_rwlock_trywrlock_(pthread_rwlock_t *p)
{
    return trylock(p, false, FW_SITE_);
}
FW_EXPORT(fw_check_rwlock_trywrlock_, pthread_rwlock_trywrlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_rwlock_trywrlock_, pthread_rwlock_trywrlock, GLIBC_2_2_5);
FW_EXPORT_OLD(fw_check_rwlock_trywrlock_, __pthread_rwlock_trywrlock, GLIBC_2_2_5);

/* A writer that has it already gets EDEADLK: so it may fail, and is not held before it is. */
static int fw_check_rwlock_wrlock_(pthread_rwlock_t *p)
{
    return lock(p, false, NULL, FW_SITE_);
}
FW_EXPORT(fw_check_rwlock_wrlock_, pthread_rwlock_wrlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_rwlock_wrlock_, pthread_rwlock_wrlock, GLIBC_2_2_5);
FW_EXPORT_OLD(fw_check_rwlock_wrlock_, __pthread_rwlock_wrlock, GLIBC_2_2_5);

static int fw_check_rwlock_timedwrlock_(pthread_rwlock_t *p, const struct timespec *at)
{
    return timedlock(p, false, CLOCK_REALTIME, at, FW_SITE_);
}
FW_EXPORT(fw_check_rwlock_timedwrlock_, pthread_rwlock_timedwrlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_rwlock_timedwrlock_, pthread_rwlock_timedwrlock, GLIBC_2_2_5);

static int fw_check_rwlock_clockwrlock_(pthread_rwlock_t *p, clockid_t clock,
                                        const struct timespec *at)
{
    return timedlock(p, false, clock, at, FW_SITE_);
}
FW_EXPORT(fw_check_rwlock_clockwrlock_, pthread_rwlock_clockwrlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_rwlock_clockwrlock_, pthread_rwlock_clockwrlock, GLIBC_2_30);

static int fw_check_rwlock_unlock_(pthread_rwlock_t *p)
{
    struct fw_posix_rwlock_ *l = lock_of(p);

    if (!fw_check_leave_(p))
        fw_check_release_(
            p, is_private(l) && fw_load64_relaxed(&l->lock.state_) == 0 ? 0 : FW_CHECK_UNKNOWN,
            FW_SITE_);
    return fw_posix_rwlock_unlock_(p);
}
FW_EXPORT(fw_check_rwlock_unlock_, pthread_rwlock_unlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_rwlock_unlock_, pthread_rwlock_unlock, GLIBC_2_2_5);
FW_EXPORT_OLD(fw_check_rwlock_unlock_, __pthread_rwlock_unlock, GLIBC_2_2_5);
