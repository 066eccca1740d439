/* SPDX-License-Identifier: MIT */
/* Attributes of condition variables: one int, bits as in cond.h. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "cond.h"
#include "export.h"

_Static_assert(sizeof(pthread_condattr_t) >= sizeof(uint32_t), "it has room for one word");

static uint32_t get(const pthread_condattr_t *attr)
{
    uint32_t bits;

    memcpy(&bits, attr, sizeof bits);
    return bits;
}

static void put(pthread_condattr_t *attr, uint32_t bit, bool is_set)
{
    uint32_t bits = is_set ? get(attr) | bit : get(attr) & ~bit;

    memcpy(attr, &bits, sizeof bits);
}

int fw_posix_condattr_init_(pthread_condattr_t *attr)
{
    memset(attr, 0, sizeof *attr);
    return 0;
}
FW_EXPORT(fw_posix_condattr_init_, pthread_condattr_init, GLIBC_2_2_5);

int fw_posix_condattr_destroy_(pthread_condattr_t *attr)
{
    (void)attr;
    return 0;
}
FW_EXPORT(fw_posix_condattr_destroy_, pthread_condattr_destroy, GLIBC_2_2_5);

int fw_posix_condattr_setclock_(pthread_condattr_t *attr, clockid_t clock)
{
    if (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME)
        return EINVAL;
    put(attr, FW_COND_MONOTONIC, clock == CLOCK_MONOTONIC);
    return 0;
}
FW_EXPORT(fw_posix_condattr_setclock_, pthread_condattr_setclock, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_condattr_setclock_, pthread_condattr_setclock, GLIBC_2_3_3);

int fw_posix_condattr_getclock_(const pthread_condattr_t *attr, clockid_t *clock)
{
    *clock = (get(attr) & FW_COND_MONOTONIC) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
    return 0;
}
FW_EXPORT(fw_posix_condattr_getclock_, pthread_condattr_getclock, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_condattr_getclock_, pthread_condattr_getclock, GLIBC_2_3_3);

int fw_posix_condattr_setpshared_(pthread_condattr_t *attr, int shared)
{
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
        return EINVAL;
    put(attr, FW_COND_SHARED, shared == PTHREAD_PROCESS_SHARED);
    return 0;
}
FW_EXPORT(fw_posix_condattr_setpshared_, pthread_condattr_setpshared, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_condattr_setpshared_, pthread_condattr_setpshared, GLIBC_2_2_5);

int fw_posix_condattr_getpshared_(const pthread_condattr_t *attr, int *shared)
{
    *shared = (get(attr) & FW_COND_SHARED) != 0 ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE;
    return 0;
}
FW_EXPORT(fw_posix_condattr_getpshared_, pthread_condattr_getpshared, GLIBC_2_34);
FW_EXPORT_OLD(fw_posix_condattr_getpshared_, pthread_condattr_getpshared, GLIBC_2_2_5);
