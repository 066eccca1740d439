/* SPDX-License-Identifier: MIT */
/* Attributes of mutexes.  Contract: POSIX; mutexattr.h. */
#include "mutexattr.h"

#include <errno.h>

#include "export.h"
#include "mutex_protect.h"

static uint32_t get(const pthread_mutexattr_t *a)
{
    return ((const struct fw_posix_mutexattr_ *)a)->word;
}

/* Puts the bits in place of those of the mask. */
static void set(pthread_mutexattr_t *a, uint32_t mask, uint32_t bits)
{
    struct fw_posix_mutexattr_ *attr = (struct fw_posix_mutexattr_ *)a;

    attr->word = (attr->word & ~mask) | bits;
}

int fw_posix_mutexattr_init_(pthread_mutexattr_t *a)
{
    set(a, UINT32_MAX, PTHREAD_MUTEX_DEFAULT);
    return 0;
}
FW_EXPORT(fw_posix_mutexattr_init_, pthread_mutexattr_init, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_mutexattr_init_, pthread_mutexattr_init, GLIBC_2_2_5);
FW_EXPORT(fw_posix_mutexattr_init_, __pthread_mutexattr_init, GLIBC_2_2_5);

int fw_posix_mutexattr_destroy_(pthread_mutexattr_t *a)
{
    (void)a;
    return 0;
}
FW_EXPORT(fw_posix_mutexattr_destroy_, pthread_mutexattr_destroy, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_mutexattr_destroy_, pthread_mutexattr_destroy, GLIBC_2_2_5);
FW_EXPORT(fw_posix_mutexattr_destroy_, __pthread_mutexattr_destroy, GLIBC_2_2_5);

int fw_posix_mutexattr_gettype_(const pthread_mutexattr_t *a, int *type)
{
    *type = (int)(get(a) & FW_ATTR_TYPE & ~FW_ATTR_NO_ELISION);
    return 0;
}
FW_EXPORT(fw_posix_mutexattr_gettype_, pthread_mutexattr_gettype, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_mutexattr_gettype_, pthread_mutexattr_gettype, GLIBC_2_2_5);
FW_EXPORT_OLD(fw_posix_mutexattr_gettype_, pthread_mutexattr_getkind_np, GLIBC_2_2_5);

int fw_posix_mutexattr_settype_(pthread_mutexattr_t *a, int type)
{
    if (type < PTHREAD_MUTEX_NORMAL || type > PTHREAD_MUTEX_ADAPTIVE_NP)
        return EINVAL;
    set(a, FW_ATTR_TYPE, (uint32_t)type | (type == PTHREAD_MUTEX_NORMAL ? FW_ATTR_NO_ELISION : 0));
    return 0;
}
FW_EXPORT(fw_posix_mutexattr_settype_, pthread_mutexattr_settype, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_mutexattr_settype_, pthread_mutexattr_settype, GLIBC_2_2_5);
FW_EXPORT_OLD(fw_posix_mutexattr_settype_, pthread_mutexattr_setkind_np, GLIBC_2_2_5);
FW_EXPORT(fw_posix_mutexattr_settype_, __pthread_mutexattr_settype, GLIBC_2_2_5);

int fw_posix_mutexattr_getpshared_(const pthread_mutexattr_t *a, int *shared)
{
    *shared = (get(a) & FW_ATTR_SHARED) != 0 ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE;
    return 0;
}
FW_EXPORT(fw_posix_mutexattr_getpshared_, pthread_mutexattr_getpshared, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_mutexattr_getpshared_, pthread_mutexattr_getpshared, GLIBC_2_2_5);

int fw_posix_mutexattr_setpshared_(pthread_mutexattr_t *a, int shared)
{
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
        return EINVAL;
    set(a, FW_ATTR_SHARED, shared == PTHREAD_PROCESS_SHARED ? FW_ATTR_SHARED : 0);
    return 0;
}
FW_EXPORT(fw_posix_mutexattr_setpshared_, pthread_mutexattr_setpshared, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_mutexattr_setpshared_, pthread_mutexattr_setpshared, GLIBC_2_2_5);

int fw_posix_mutexattr_getrobust_(const pthread_mutexattr_t *a, int *robust)
{
    *robust = (get(a) & FW_ATTR_ROBUST) != 0 ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED;
    return 0;
}
FW_EXPORT(fw_posix_mutexattr_getrobust_, pthread_mutexattr_getrobust, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_mutexattr_getrobust_, pthread_mutexattr_getrobust, GLIBC_2_12);
FW_EXPORT_OLD(fw_posix_mutexattr_getrobust_, pthread_mutexattr_getrobust_np, GLIBC_2_4);

int fw_posix_mutexattr_setrobust_(pthread_mutexattr_t *a, int robust)
{
    if (robust != PTHREAD_MUTEX_STALLED && robust != PTHREAD_MUTEX_ROBUST)
        return EINVAL;
    set(a, FW_ATTR_ROBUST, robust == PTHREAD_MUTEX_ROBUST ? FW_ATTR_ROBUST : 0);
    return 0;
}
FW_EXPORT(fw_posix_mutexattr_setrobust_, pthread_mutexattr_setrobust, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_mutexattr_setrobust_, pthread_mutexattr_setrobust, GLIBC_2_12);
FW_EXPORT_OLD(fw_posix_mutexattr_setrobust_, pthread_mutexattr_setrobust_np, GLIBC_2_4);

int fw_posix_mutexattr_getprotocol_(const pthread_mutexattr_t *a, int *protocol)
{
    *protocol = (int)((get(a) & FW_ATTR_PROTOCOL) >> FW_ATTR_PROTOCOL_SHIFT);
    return 0;
}
FW_EXPORT(fw_posix_mutexattr_getprotocol_, pthread_mutexattr_getprotocol, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_mutexattr_getprotocol_, pthread_mutexattr_getprotocol, GLIBC_2_4);

int fw_posix_mutexattr_setprotocol_(pthread_mutexattr_t *a, int protocol)
{
    if (protocol != PTHREAD_PRIO_NONE && protocol != PTHREAD_PRIO_INHERIT &&
        protocol != PTHREAD_PRIO_PROTECT)
        return EINVAL;
    set(a, FW_ATTR_PROTOCOL, (uint32_t)protocol << FW_ATTR_PROTOCOL_SHIFT);
    return 0;
}
FW_EXPORT(fw_posix_mutexattr_setprotocol_, pthread_mutexattr_setprotocol, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_mutexattr_setprotocol_, pthread_mutexattr_setprotocol, GLIBC_2_4);

int fw_posix_mutexattr_getprioceiling_(const pthread_mutexattr_t *a, int *ceiling)
{
    *ceiling = (int)((get(a) & FW_ATTR_CEILING) >> FW_ATTR_CEILING_SHIFT);
    if (*ceiling == 0)
        *ceiling = fw_protect_lowest_();
    return 0;
}
FW_EXPORT(fw_posix_mutexattr_getprioceiling_, pthread_mutexattr_getprioceiling, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_mutexattr_getprioceiling_, pthread_mutexattr_getprioceiling, GLIBC_2_4);

int fw_posix_mutexattr_setprioceiling_(pthread_mutexattr_t *a, int ceiling)
{
    if (!fw_protect_is_ceiling_(ceiling))
        return EINVAL;
    set(a, FW_ATTR_CEILING, (uint32_t)ceiling << FW_ATTR_CEILING_SHIFT);
    return 0;
}
FW_EXPORT(fw_posix_mutexattr_setprioceiling_, pthread_mutexattr_setprioceiling, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_mutexattr_setprioceiling_, pthread_mutexattr_setprioceiling, GLIBC_2_4);
