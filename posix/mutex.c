/* SPDX-License-Identifier: MIT */
/*
 * pthread_mutex_lock and its like.  Contract: mutex.h.  Layout: object.h.
 *
 * A plain mutex (private, neither robust nor with a protocol) is an fw_mutex in its first eight
 * bytes: states and invariants are those of src/thread/mutex.c.  What its type adds:
 *
 * type         lock by its owner          unlock by another thread, or of a free one
 * -----------  -------------------------  -------------------------------------------
 * normal       waits (POSIX mode)         releases; nothing (POSIX mode)
 * adaptive     as normal; it is for the wait policy to spin
 * recursive    counts                     EPERM
 * errorcheck   EDEADLK                    EPERM
 *
 * The count of a recursive mutex is written by its owner only, and is 0 when it is free.
 */
#include <errno.h>
#include <stdint.h>

#include "core/attributes.h"
#include "export.h"
#include "mutex.h"
#include "mutex_pi.h"
#include "mutex_protect.h"
#include "mutex_robust.h"
#include "mutex_shared.h"
#include "mutex_type.h"
#include "object.h"
#include "settings.h"
#include "stat.h"
#include "sys/clock.h"
#include "sys/release.h"
#include "thread/mutex_posix.h"
#include "thread/mutex_requeue.h"
#include "thread/mutex_word.h"

/* Reads what a 32-bit store may just have written, by 32 bits: as sys_release_arch.h says. */
static bool is_mine(struct fw_posix_mutex_ *m)
{
    return fw_load32_relaxed(owner_of(&m->lock)) == fw_self_();
}

/* By its owner. */
static int lock_again(struct fw_posix_mutex_ *m)
{
    if (fw_kind_type_(m->kind) == FW_KIND_ERRORCHECK)
        return EDEADLK;
    if (m->count == UINT32_MAX)
        return EAGAIN;
    m->count++;
    return 0;
}

COLD static int wait_for_plain(struct fw_posix_mutex_ *m, const fw_deadline *deadline,
                               const void *site)
{
    struct fw_stat_ stat;
    int error;

    fw_stat_begin_(&stat, FW_STAT_MUTEX, m, site);
    fw_stat_holder_(&stat, fw_mutex_owner(&m->lock), m->site);
    error = fw_mutex_lock_posix_(&m->lock, deadline);
    fw_stat_end_(&stat, error);
    return error;
}

static int lock_plain(struct fw_posix_mutex_ *m, const fw_deadline *deadline, const void *site)
{
    int error = 0;

    if (fw_type_knows_owner_(m) && is_mine(m))
        return lock_again(m);
    if (!fw_mutex_take_(&m->lock))
        error = wait_for_plain(m, deadline, site);
    if (error == 0)
        fw_stat_took_(m, site);
    return error;
}

static int trylock_special(struct fw_posix_mutex_ *m)
{
    switch (fw_family_of_(m->kind)) {
    case FW_FAMILY_INHERIT:
        return fw_pi_trylock_(m);
    case FW_FAMILY_PROTECT:
        return fw_protect_trylock_(m);
    case FW_FAMILY_ROBUST:
        return fw_robust_trylock_(m);
    default:
        return fw_shared_trylock_(m);
    }
}

static int lock_by_family(struct fw_posix_mutex_ *m, const fw_deadline *deadline)
{
    switch (fw_family_of_(m->kind)) {
    case FW_FAMILY_INHERIT:
        return fw_pi_lock_(m, deadline);
    case FW_FAMILY_PROTECT:
        return fw_protect_lock_(m, deadline);
    case FW_FAMILY_ROBUST:
        return fw_robust_lock_(m, deadline);
    default:
        return fw_shared_lock_(m, deadline);
    }
}

/*
 * What can be had at once is not counted as a wait.  But a deadline that makes a waiter's call fail
 * has to be looked at first: trylock takes an inheriting mutex from a dead owner.
 */
static bool tries_first(const fw_deadline *deadline)
{
    return fw_stat_counts_ && fw_deadline_is_valid_(deadline) &&
           (deadline == NULL || deadline->at.tv_sec >= 0);
}

static int lock_special(struct fw_posix_mutex_ *m, const fw_deadline *deadline, const void *site)
{
    struct fw_stat_ stat;
    int error = tries_first(deadline) ? trylock_special(m) : EBUSY;

    if (error != EBUSY)
        return error;
    fw_stat_begin_(&stat, FW_STAT_MUTEX, m, site);
    fw_stat_holder_(&stat, (int)m->owner, NULL);
    error = lock_by_family(m, deadline);
    fw_stat_end_(&stat, error);
    return error;
}

NOINLINE static int unlock_special(struct fw_posix_mutex_ *m)
{
    switch (fw_family_of_(m->kind)) {
    case FW_FAMILY_INHERIT:
        return fw_pi_unlock_(m);
    case FW_FAMILY_PROTECT:
        return fw_protect_unlock_(m);
    case FW_FAMILY_ROBUST:
        return fw_robust_unlock_(m);
    default:
        return fw_shared_unlock_(m);
    }
}

int fw_posix_mutex_lock_until_(pthread_mutex_t *p, const fw_deadline *deadline, const void *site)
{
    struct fw_posix_mutex_ *m = fw_posix_mutex_(p);

    return fw_kind_is_plain_(m->kind) ? lock_plain(m, deadline, site)
                                      : lock_special(m, deadline, site);
}

/*
 * The fast paths are for the normal type alone, those of the other plain types are one jump away,
 * and none of them has a stack frame: what is stored there has to reach the cache before the locked
 * instruction.  With all types in one function a pair took 0.85 of the C library's time, so 0.78;
 * with a frame a recursive pair took 1.07.
 */
NOINLINE static int lock_typed(struct fw_posix_mutex_ *m, const void *site)
{
    uint32_t id;

    if (!fw_kind_is_plain_(m->kind))
        return lock_special(m, NULL, site);
    id = fw_self_id_;
    if (__builtin_expect(id == 0, 0))
        return fw_posix_mutex_lock_until_((pthread_mutex_t *)m, NULL, site);
    if (fw_type_knows_owner_(m) && fw_load32_relaxed(owner_of(&m->lock)) == id)
        return lock_again(m);
    if (__builtin_expect(fw_xchg8_acquire((fw_byte_ *)&m->lock.state_, FW_ID_HELD) != 0, 0))
        return fw_posix_mutex_lock_until_((pthread_mutex_t *)m, NULL, site);
    fw_store32_relaxed(owner_of(&m->lock), id);
    fw_stat_took_(m, site);
    return 0;
}

int fw_posix_mutex_lock_(pthread_mutex_t *p)
{
    struct fw_posix_mutex_ *m = fw_posix_mutex_(p);
    uint32_t id = fw_self_id_;

    if (__builtin_expect(m->kind != FW_KIND_NORMAL, 0) || __builtin_expect(id == 0, 0))
        return lock_typed(m, FW_SITE_);
    if (__builtin_expect(fw_xchg8_acquire((fw_byte_ *)&m->lock.state_, FW_ID_HELD) != 0, 0))
        return fw_posix_mutex_lock_until_(p, NULL, FW_SITE_);
    fw_store32_relaxed(owner_of(&m->lock), id);
    fw_stat_took_(m, FW_SITE_);
    return 0;
}
FW_EXPORT(fw_posix_mutex_lock_, pthread_mutex_lock, GLIBC_2_2_5);
FW_EXPORT(fw_posix_mutex_lock_, __pthread_mutex_lock, GLIBC_2_2_5);

int fw_posix_mutex_trylock_(pthread_mutex_t *p)
{
    struct fw_posix_mutex_ *m = fw_posix_mutex_(p);
    int error;

    if (!fw_kind_is_plain_(m->kind))
        return trylock_special(m);
    if (fw_kind_type_(m->kind) == FW_KIND_RECURSIVE && is_mine(m))
        return lock_again(m);
    error = fw_mutex_trylock(&m->lock);
    if (error == 0)
        fw_stat_took_(m, FW_SITE_);
    return error;
}
FW_EXPORT(fw_posix_mutex_trylock_, pthread_mutex_trylock, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_mutex_trylock_, pthread_mutex_trylock, GLIBC_2_2_5);
FW_EXPORT(fw_posix_mutex_trylock_, __pthread_mutex_trylock, GLIBC_2_2_5);

// Before 1970 is too late, whatever the nanoseconds are: of mutexes that are neither robust nor
// have a protocol, the C library looks at the seconds first.
fw_deadline fw_posix_mutex_deadline_(pthread_mutex_t *p, const struct timespec *at, clockid_t clock)
{
    enum fw_family_ family = fw_family_of_(fw_posix_mutex_(p)->kind);

    if (at->tv_sec < 0 && (family == FW_FAMILY_PLAIN || family == FW_FAMILY_SHARED))
        return (fw_deadline){{0, 0}, clock};
    return (fw_deadline){*at, clock};
}

int fw_posix_mutex_timedlock_(pthread_mutex_t *p, const struct timespec *at)
{
    fw_deadline deadline = fw_posix_mutex_deadline_(p, at, CLOCK_REALTIME);

    return fw_posix_mutex_lock_until_(p, &deadline, FW_SITE_);
}
FW_EXPORT(fw_posix_mutex_timedlock_, pthread_mutex_timedlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_mutex_timedlock_, pthread_mutex_timedlock, GLIBC_2_2_5);

int fw_posix_mutex_clocklock_(pthread_mutex_t *p, clockid_t clock, const struct timespec *at)
{
    fw_deadline deadline = fw_posix_mutex_deadline_(p, at, clock);

    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    return fw_posix_mutex_lock_until_(p, &deadline, FW_SITE_);
}
FW_EXPORT(fw_posix_mutex_clocklock_, pthread_mutex_clocklock, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_mutex_clocklock_, pthread_mutex_clocklock, GLIBC_2_30);

COLD static int unlock_slow(struct fw_posix_mutex_ *m)
{
    fw_mutex_unlock_and_wake_(&m->lock, &m->late, fw_settings_.fair);
    return 0;
}

NOINLINE static int unlock_typed(struct fw_posix_mutex_ *m)
{
    if (fw_type_knows_owner_(m)) {
        if (!is_mine(m))
            return EPERM;
        if (m->count != 0) {
            m->count--;
            return 0;
        }
    }
    return fw_release_quiet_(&m->lock.state_) ? 0 : unlock_slow(m);
}

int fw_posix_mutex_unlock_(pthread_mutex_t *p)
{
    struct fw_posix_mutex_ *m = fw_posix_mutex_(p);

    if (__builtin_expect(m->kind != FW_KIND_NORMAL, 0))
        return fw_kind_is_plain_(m->kind) ? unlock_typed(m) : unlock_special(m);
    if (__builtin_expect(!fw_release_quiet_(&m->lock.state_), 0))
        return unlock_slow(m);
    return 0;
}
FW_EXPORT(fw_posix_mutex_unlock_, pthread_mutex_unlock, GLIBC_2_2_5);
FW_EXPORT(fw_posix_mutex_unlock_, __pthread_mutex_unlock, GLIBC_2_2_5);
