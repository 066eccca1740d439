/* SPDX-License-Identifier: MIT */
/* pthread_rwlockattr_*.  Contract and layout: rwlock.h. */
#include <errno.h>

#include "export.h"
#include "rwlock.h"

static struct fw_posix_rwlockattr_ *attr_of(pthread_rwlockattr_t *a)
{
    return (struct fw_posix_rwlockattr_ *)a;
}

static const struct fw_posix_rwlockattr_ *const_attr_of(const pthread_rwlockattr_t *a)
{
    return (const struct fw_posix_rwlockattr_ *)a;
}

int fw_posix_rwlockattr_init_(pthread_rwlockattr_t *a)
{
    attr_of(a)->kind = PTHREAD_RWLOCK_DEFAULT_NP;
    attr_of(a)->shared = PTHREAD_PROCESS_PRIVATE;
    return 0;
}
FW_EXPORT(fw_posix_rwlockattr_init_, pthread_rwlockattr_init, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_rwlockattr_init_, pthread_rwlockattr_init, GLIBC_2_2_5);

int fw_posix_rwlockattr_destroy_(pthread_rwlockattr_t *a)
{
    (void)a;
    return 0;
}
FW_EXPORT(fw_posix_rwlockattr_destroy_, pthread_rwlockattr_destroy, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_rwlockattr_destroy_, pthread_rwlockattr_destroy, GLIBC_2_2_5);

int fw_posix_rwlockattr_getpshared_(const pthread_rwlockattr_t *a, int *shared)
{
    *shared = const_attr_of(a)->shared;
    return 0;
}
FW_EXPORT(fw_posix_rwlockattr_getpshared_, pthread_rwlockattr_getpshared, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_rwlockattr_getpshared_, pthread_rwlockattr_getpshared, GLIBC_2_2_5);

int fw_posix_rwlockattr_setpshared_(pthread_rwlockattr_t *a, int shared)
{
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
        return EINVAL;
    attr_of(a)->shared = shared;
    return 0;
}
FW_EXPORT(fw_posix_rwlockattr_setpshared_, pthread_rwlockattr_setpshared, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_rwlockattr_setpshared_, pthread_rwlockattr_setpshared, GLIBC_2_2_5);

int fw_posix_rwlockattr_getkind_(const pthread_rwlockattr_t *a, int *kind)
{
    *kind = const_attr_of(a)->kind;
    return 0;
}
FW_EXPORT(fw_posix_rwlockattr_getkind_, pthread_rwlockattr_getkind_np, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_rwlockattr_getkind_, pthread_rwlockattr_getkind_np, GLIBC_2_2_5);

int fw_posix_rwlockattr_setkind_(pthread_rwlockattr_t *a, int kind)
{
    if (kind != PTHREAD_RWLOCK_PREFER_READER_NP && kind != PTHREAD_RWLOCK_PREFER_WRITER_NP &&
        kind != PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP)
        return EINVAL;
    attr_of(a)->kind = kind;
    return 0;
}
FW_EXPORT(fw_posix_rwlockattr_setkind_, pthread_rwlockattr_setkind_np, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_rwlockattr_setkind_, pthread_rwlockattr_setkind_np, GLIBC_2_2_5);
