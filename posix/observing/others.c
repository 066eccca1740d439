/* SPDX-License-Identifier: MIT */
/*
 * Waits for what is no mutex: condition variables, read-write locks, semaphores, barriers, spin
 * locks.  How: mutex.c.
 *
 * OBSERVE(name, version, what, object, parameters, first, busy, then): `first` is made at once; if
 * `result` is `busy` then, `then` is counted as a wait.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include "export.h"
#include "next.h"
#include "stat.h"

#define OBSERVE(name, version, what, object, parameters, first, busy, then) \
    static int observe_##name parameters                                    \
    {                                                                       \
        struct fw_stat_ stat;                                               \
        int result = (first);                                               \
                                                                            \
        if (!(busy))                                                        \
            return result;                                                  \
        fw_stat_begin_(&stat, what, (object), FW_SITE_);                    \
        result = (then);                                                    \
        fw_stat_end_(&stat, result);                                        \
        return result;                                                      \
    }                                                                       \
    FW_EXPORT(observe_##name, name, version)

/* --- Condition variables and barriers: one always waits --------------------------------------- */

#define COND(name, version, parameters, arguments) \
    OBSERVE(name, version, FW_STAT_COND, c, parameters, 0, true, NEXT(name) arguments)

COND(pthread_cond_wait, GLIBC_2_3_2, (pthread_cond_t * c, pthread_mutex_t *m), (c, m));
COND(pthread_cond_timedwait, GLIBC_2_3_2,
     (pthread_cond_t * c, pthread_mutex_t *m, const struct timespec *at), (c, m, at));
COND(pthread_cond_clockwait, GLIBC_2_34,
     (pthread_cond_t * c, pthread_mutex_t *m, clockid_t clock, const struct timespec *at),
     (c, m, clock, at));
FW_EXPORT_OLD(observe_pthread_cond_clockwait, pthread_cond_clockwait, GLIBC_2_30);
COND(cnd_wait, GLIBC_2_34, (cnd_t * c, mtx_t *m), (c, m));
FW_EXPORT_OLD(observe_cnd_wait, cnd_wait, GLIBC_2_28);
COND(cnd_timedwait, GLIBC_2_34, (cnd_t * c, mtx_t *m, const struct timespec *at), (c, m, at));
FW_EXPORT_OLD(observe_cnd_timedwait, cnd_timedwait, GLIBC_2_28);

static int observe_barrier(pthread_barrier_t *b)
{
    struct fw_stat_ stat;
    int result;

    fw_stat_begin_(&stat, FW_STAT_BARRIER, b, FW_SITE_);
    result = NEXT(pthread_barrier_wait)(b);
    fw_stat_end_(&stat, result == PTHREAD_BARRIER_SERIAL_THREAD ? 0 : result);
    return result;
}
FW_EXPORT(observe_barrier, pthread_barrier_wait, GLIBC_2_34);
FW_EXPORT_OLD(observe_barrier, pthread_barrier_wait, GLIBC_2_2_5);

/* --- Read-write locks ------------------------------------------------------------------------- */

#define RWLOCK(name, version, what, first, parameters, arguments)                \
    OBSERVE(name, version, what, l, parameters, NEXT(first)(l), result == EBUSY, \
            NEXT(name) arguments)

RWLOCK(pthread_rwlock_rdlock, GLIBC_2_34, FW_STAT_READ, pthread_rwlock_tryrdlock,
       (pthread_rwlock_t * l), (l));
FW_EXPORT_OLD(observe_pthread_rwlock_rdlock, pthread_rwlock_rdlock, GLIBC_2_2_5);
FW_EXPORT_OLD(observe_pthread_rwlock_rdlock, __pthread_rwlock_rdlock, GLIBC_2_2_5);
RWLOCK(pthread_rwlock_timedrdlock, GLIBC_2_34, FW_STAT_READ, pthread_rwlock_tryrdlock,
       (pthread_rwlock_t * l, const struct timespec *at), (l, at));
FW_EXPORT_OLD(observe_pthread_rwlock_timedrdlock, pthread_rwlock_timedrdlock, GLIBC_2_2_5);
RWLOCK(pthread_rwlock_clockrdlock, GLIBC_2_34, FW_STAT_READ, pthread_rwlock_tryrdlock,
       (pthread_rwlock_t * l, clockid_t clock, const struct timespec *at), (l, clock, at));
FW_EXPORT_OLD(observe_pthread_rwlock_clockrdlock, pthread_rwlock_clockrdlock, GLIBC_2_30);

RWLOCK(pthread_rwlock_wrlock, GLIBC_2_34, FW_STAT_WRITE, pthread_rwlock_trywrlock,
       (pthread_rwlock_t * l), (l));
FW_EXPORT_OLD(observe_pthread_rwlock_wrlock, pthread_rwlock_wrlock, GLIBC_2_2_5);
FW_EXPORT_OLD(observe_pthread_rwlock_wrlock, __pthread_rwlock_wrlock, GLIBC_2_2_5);
RWLOCK(pthread_rwlock_timedwrlock, GLIBC_2_34, FW_STAT_WRITE, pthread_rwlock_trywrlock,
       (pthread_rwlock_t * l, const struct timespec *at), (l, at));
FW_EXPORT_OLD(observe_pthread_rwlock_timedwrlock, pthread_rwlock_timedwrlock, GLIBC_2_2_5);
RWLOCK(pthread_rwlock_clockwrlock, GLIBC_2_34, FW_STAT_WRITE, pthread_rwlock_trywrlock,
       (pthread_rwlock_t * l, clockid_t clock, const struct timespec *at), (l, clock, at));
FW_EXPORT_OLD(observe_pthread_rwlock_clockwrlock, pthread_rwlock_clockwrlock, GLIBC_2_30);

/* --- Semaphores: a wait is a cancellation point, also one that need not wait ------------------ */

static int try_sem(sem_t *s)
{
    int saved_errno = errno, result;

    pthread_testcancel();
    result = NEXT(sem_trywait)(s);
    if (result != 0)
        errno = saved_errno;
    return result;
}

#define SEM(name, version, parameters, arguments)                               \
    OBSERVE(name, version, FW_STAT_SEM, s, parameters, try_sem(s), result != 0, \
            NEXT(name) arguments)

SEM(sem_wait, GLIBC_2_34, (sem_t * s), (s));
FW_EXPORT_OLD(observe_sem_wait, sem_wait, GLIBC_2_2_5);
SEM(sem_timedwait, GLIBC_2_34, (sem_t * s, const struct timespec *at), (s, at));
FW_EXPORT_OLD(observe_sem_timedwait, sem_timedwait, GLIBC_2_2_5);
SEM(sem_clockwait, GLIBC_2_34, (sem_t * s, clockid_t clock, const struct timespec *at),
    (s, clock, at));
FW_EXPORT_OLD(observe_sem_clockwait, sem_clockwait, GLIBC_2_30);

/* --- Spin locks ------------------------------------------------------------------------------- */

OBSERVE(pthread_spin_lock, GLIBC_2_34, FW_STAT_SPIN, (const void *)l, (pthread_spinlock_t * l),
        NEXT(pthread_spin_trylock)(l), result == EBUSY, NEXT(pthread_spin_lock)(l));
FW_EXPORT_OLD(observe_pthread_spin_lock, pthread_spin_lock, GLIBC_2_2_5);
