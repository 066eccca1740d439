/* SPDX-License-Identifier: MIT */
/*
 * Waits for furwock's own locks, of a program that uses its shared library: the slow paths of those
 * are counted on their way there.  (A slow path that finds the lock free has not waited; the
 * drop-in has its own copy of the locks, which does not come here.)
 */

#include <furwock/cond.h>
#include <furwock/mutex.h>
#include <furwock/rwlock.h>
#include <furwock/sem.h>

#include "export.h"
#include "next.h"
#include "stat.h"

static void begin(struct fw_stat_ *s, enum fw_stat_what_ what, const void *lock, int owner,
                  const void *site)
{
    fw_stat_begin_(s, what, lock, site);
    fw_stat_holder_(s, owner, NULL);
}

static void native_mutex_lock(fw_mutex *m)
{
    static void *known;
    union {
        void *address;
        void (*function)(fw_mutex *);
    } to = {fw_next_(&known, "fw_mutex_lock_slow_")};
    int owner = fw_mutex_owner(m);
    struct fw_stat_ s;

    if (owner != 0)
        begin(&s, FW_STAT_FW_MUTEX, m, owner, FW_SITE_);
    to.function(m);
    if (owner != 0)
        fw_stat_end_(&s, 0);
}
FW_EXPORT_AS_(native_mutex_lock, native_mutex_lock_slow, fw_mutex_lock_slow_, "@", "FURWOCK_0.1");

static int native_mutex_timedlock(fw_mutex *m, const fw_deadline *deadline)
{
    static void *known;
    union {
        void *address;
        int (*function)(fw_mutex *, const fw_deadline *);
    } to = {fw_next_(&known, "fw_mutex_timedlock")};
    int owner = fw_mutex_owner(m), error;
    struct fw_stat_ s;

    if (owner == 0)
        return to.function(m, deadline);
    begin(&s, FW_STAT_FW_MUTEX, m, owner, FW_SITE_);
    error = to.function(m, deadline);
    fw_stat_end_(&s, error);
    return error;
}
FW_EXPORT_AS_(native_mutex_timedlock, native_mutex_timed, fw_mutex_timedlock, "@", "FURWOCK_0.1");

/* Not where others read, too: it only has to look again. */
static void native_rdlock(fw_rwlock *l, uint64_t seen)
{
    static void *known;
    union {
        void *address;
        void (*function)(fw_rwlock *, uint64_t);
    } to = {fw_next_(&known, "fw_rwlock_rdlock_slow_")};
    int owner = fw_rwlock_owner(l);
    struct fw_stat_ s;

    if (owner != 0)
        begin(&s, FW_STAT_READ, l, owner, FW_SITE_);
    to.function(l, seen);
    if (owner != 0)
        fw_stat_end_(&s, 0);
}
FW_EXPORT_AS_(native_rdlock, native_rdlock_slow, fw_rwlock_rdlock_slow_, "@", "FURWOCK_0.1");

static void native_wrlock(fw_rwlock *l, uint64_t seen)
{
    static void *known;
    union {
        void *address;
        void (*function)(fw_rwlock *, uint64_t);
    } to = {fw_next_(&known, "fw_rwlock_wrlock_slow_")};
    bool waits = fw_load64_relaxed(&l->state_) != 0;
    struct fw_stat_ s;

    if (waits)
        begin(&s, FW_STAT_WRITE, l, fw_rwlock_owner(l), FW_SITE_);
    to.function(l, seen);
    if (waits)
        fw_stat_end_(&s, 0);
}
FW_EXPORT_AS_(native_wrlock, native_wrlock_slow, fw_rwlock_wrlock_slow_, "@", "FURWOCK_0.1");

static void native_sem_wait(fw_sem *sem)
{
    static void *known;
    union {
        void *address;
        void (*function)(fw_sem *);
    } to = {fw_next_(&known, "fw_sem_wait_slow_")};
    struct fw_stat_ s;

    fw_stat_begin_(&s, FW_STAT_SEM, sem, FW_SITE_);
    to.function(sem);
    fw_stat_end_(&s, 0);
}
FW_EXPORT_AS_(native_sem_wait, native_sem_wait_slow, fw_sem_wait_slow_, "@", "FURWOCK_0.1");

static void native_cond_wait(fw_cond *c, fw_mutex *m)
{
    static void *known;
    union {
        void *address;
        void (*function)(fw_cond *, fw_mutex *);
    } to = {fw_next_(&known, "fw_cond_wait")};
    struct fw_stat_ s;

    fw_stat_begin_(&s, FW_STAT_COND, c, FW_SITE_);
    to.function(c, m);
    fw_stat_end_(&s, 0);
}
FW_EXPORT_AS_(native_cond_wait, native_cond_wait_, fw_cond_wait, "@", "FURWOCK_0.1");

static int native_cond_timedwait(fw_cond *c, fw_mutex *m, const fw_deadline *deadline)
{
    static void *known;
    union {
        void *address;
        int (*function)(fw_cond *, fw_mutex *, const fw_deadline *);
    } to = {fw_next_(&known, "fw_cond_timedwait")};
    struct fw_stat_ s;
    int error;

    fw_stat_begin_(&s, FW_STAT_COND, c, FW_SITE_);
    error = to.function(c, m, deadline);
    fw_stat_end_(&s, error);
    return error;
}
FW_EXPORT_AS_(native_cond_timedwait, native_cond_timed, fw_cond_timedwait, "@", "FURWOCK_0.1");
