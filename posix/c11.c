/* SPDX-License-Identifier: MIT */
/*
 * mtx_* and cnd_* of C11 (threads.h): in the C library they are pthread_mutex_t and pthread_cond_t,
 * with other names for the results.  They do not go through the POSIX names, so they are here too.
 */
#include <errno.h>
#include <stdalign.h>
#include <stdbool.h>
#include <threads.h>

#include "c11.h"
#include "cond.h"
#include "export.h"
#include "mutex.h"
#include "mutex_init.h"
#include "mutexattr.h"

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "the same bytes");
_Static_assert(alignof(mtx_t) == alignof(pthread_mutex_t), "the same bytes");
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "the same bytes");
_Static_assert(alignof(cnd_t) == alignof(pthread_cond_t), "the same bytes");

static pthread_mutex_t *mutex_of(mtx_t *m)
{
    return (pthread_mutex_t *)m;
}

static pthread_cond_t *cond_of(cnd_t *c)
{
    return (pthread_cond_t *)c;
}

int fw_c11_result_(int error)
{
    switch (error) {
    case 0:
        return thrd_success;
    case ENOMEM:
        return thrd_nomem;
    case ETIMEDOUT:
        return thrd_timedout;
    case EBUSY:
        return thrd_busy;
    default:
        return thrd_error;
    }
}

/* A type that there is not counts as mtx_plain. */
int fw_c11_mtx_init_(mtx_t *m, int type)
{
    bool recursive = type == (mtx_plain | mtx_recursive) || type == (mtx_timed | mtx_recursive);
    pthread_mutexattr_t attr;

    fw_posix_mutexattr_init_(&attr);
    fw_posix_mutexattr_settype_(&attr, recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
    return fw_c11_result_(fw_posix_mutex_init_(mutex_of(m), &attr));
}
FW_EXPORT(fw_c11_mtx_init_, mtx_init, GLIBC_2_34);
FW_EXPORT_OLD(fw_c11_mtx_init_, mtx_init, GLIBC_2_28);

void fw_c11_mtx_destroy_(mtx_t *m)
{
    fw_posix_mutex_destroy_(mutex_of(m));
}
FW_EXPORT(fw_c11_mtx_destroy_, mtx_destroy, GLIBC_2_34);
FW_EXPORT_OLD(fw_c11_mtx_destroy_, mtx_destroy, GLIBC_2_28);

int fw_c11_mtx_lock_(mtx_t *m)
{
    return fw_c11_result_(fw_posix_mutex_lock_(mutex_of(m)));
}
FW_EXPORT(fw_c11_mtx_lock_, mtx_lock, GLIBC_2_34);
FW_EXPORT_OLD(fw_c11_mtx_lock_, mtx_lock, GLIBC_2_28);

int fw_c11_mtx_trylock_(mtx_t *m)
{
    return fw_c11_result_(fw_posix_mutex_trylock_(mutex_of(m)));
}
FW_EXPORT(fw_c11_mtx_trylock_, mtx_trylock, GLIBC_2_34);
FW_EXPORT_OLD(fw_c11_mtx_trylock_, mtx_trylock, GLIBC_2_28);

int fw_c11_mtx_timedlock_(mtx_t *m, const struct timespec *at)
{
    return fw_c11_result_(fw_posix_mutex_timedlock_(mutex_of(m), at));
}
FW_EXPORT(fw_c11_mtx_timedlock_, mtx_timedlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_c11_mtx_timedlock_, mtx_timedlock, GLIBC_2_28);

int fw_c11_mtx_unlock_(mtx_t *m)
{
    return fw_c11_result_(fw_posix_mutex_unlock_(mutex_of(m)));
}
FW_EXPORT(fw_c11_mtx_unlock_, mtx_unlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_c11_mtx_unlock_, mtx_unlock, GLIBC_2_28);

int fw_c11_cnd_init_(cnd_t *c)
{
    return fw_c11_result_(fw_posix_cond_init_(cond_of(c), NULL));
}
FW_EXPORT(fw_c11_cnd_init_, cnd_init, GLIBC_2_34);
FW_EXPORT_OLD(fw_c11_cnd_init_, cnd_init, GLIBC_2_28);

void fw_c11_cnd_destroy_(cnd_t *c)
{
    fw_posix_cond_destroy_(cond_of(c));
}
FW_EXPORT(fw_c11_cnd_destroy_, cnd_destroy, GLIBC_2_34);
FW_EXPORT_OLD(fw_c11_cnd_destroy_, cnd_destroy, GLIBC_2_28);

int fw_c11_cnd_wait_(cnd_t *c, mtx_t *m)
{
    return fw_c11_result_(fw_posix_cond_wait_(cond_of(c), mutex_of(m)));
}
FW_EXPORT(fw_c11_cnd_wait_, cnd_wait, GLIBC_2_34);
FW_EXPORT_OLD(fw_c11_cnd_wait_, cnd_wait, GLIBC_2_28);

int fw_c11_cnd_timedwait_(cnd_t *c, mtx_t *m, const struct timespec *at)
{
    return fw_c11_result_(fw_posix_cond_timedwait_(cond_of(c), mutex_of(m), at));
}
FW_EXPORT(fw_c11_cnd_timedwait_, cnd_timedwait, GLIBC_2_34);
FW_EXPORT_OLD(fw_c11_cnd_timedwait_, cnd_timedwait, GLIBC_2_28);

int fw_c11_cnd_signal_(cnd_t *c)
{
    return fw_c11_result_(fw_posix_cond_signal_(cond_of(c)));
}
FW_EXPORT(fw_c11_cnd_signal_, cnd_signal, GLIBC_2_34);
FW_EXPORT_OLD(fw_c11_cnd_signal_, cnd_signal, GLIBC_2_28);

int fw_c11_cnd_broadcast_(cnd_t *c)
{
    return fw_c11_result_(fw_posix_cond_broadcast_(cond_of(c)));
}
FW_EXPORT(fw_c11_cnd_broadcast_, cnd_broadcast, GLIBC_2_34);
FW_EXPORT_OLD(fw_c11_cnd_broadcast_, cnd_broadcast, GLIBC_2_28);
