/* SPDX-License-Identifier: MIT */
/* The ceilings of mutexes.  Contract: POSIX; ceiling.h; mutex_protect.h. */
#include "ceiling.h"

#include <errno.h>
#include <stddef.h>

#include <furwock/bits/atomic.h>

#include "export.h"
#include "mutex_protect.h"
#include "object.h"

int fw_posix_mutex_getprioceiling_(const pthread_mutex_t *p, int *ceiling)
{
    const struct fw_posix_mutex_ *m = (const struct fw_posix_mutex_ *)p;

    if ((m->kind & FW_KIND_PROTECT) == 0)
        return EINVAL;
    *ceiling = fw_protect_ceiling_(fw_load32_relaxed(&m->word));
    return 0;
}
FW_EXPORT(fw_posix_mutex_getprioceiling_, pthread_mutex_getprioceiling, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_mutex_getprioceiling_, pthread_mutex_getprioceiling, GLIBC_2_4);

int fw_posix_mutex_setprioceiling_(pthread_mutex_t *p, int ceiling, int *old)
{
    struct fw_posix_mutex_ *m = fw_posix_mutex_(p);
    int before;
    int error;

    if ((m->kind & FW_KIND_PROTECT) == 0)
        return EINVAL;
    error = fw_protect_set_ceiling_(m, ceiling, &before);
    if (error == 0 && old != NULL)
        *old = before;
    return error;
}
FW_EXPORT(fw_posix_mutex_setprioceiling_, pthread_mutex_setprioceiling, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_mutex_setprioceiling_, pthread_mutex_setprioceiling, GLIBC_2_4);
