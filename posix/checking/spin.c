/* SPDX-License-Identifier: MIT */
/* pthread_spin_* of the library that checks: four bytes, so they are found by their address. */
#include "spin.h"

#include <errno.h>

#include "check.h"
#include "export.h"
#include "lock.h"
#include "stat.h"

static struct fw_check_target_ target_of(pthread_spinlock_t *l)
{
    return (struct fw_check_target_){.object = (const void *)l};
}

static int fw_check_spin_init_(pthread_spinlock_t *l, int shared)
{
    fw_check_reused_((const void *)l, FW_SITE_);
    fw_check_forget_((const void *)l);
    fw_check_is_found_((const void *)l);
    return fw_posix_spin_init_(l, shared);
}
FW_EXPORT(fw_check_spin_init_, pthread_spin_init, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_spin_init_, pthread_spin_init, GLIBC_2_2_5);

static int fw_check_spin_destroy_(pthread_spinlock_t *l)
{
    uint32_t thread;

    fw_check_destroyed_((const void *)l, fw_check_holder_((const void *)l, &thread) != NULL,
                        FW_SITE_);
    return fw_posix_spin_destroy_(l);
}
FW_EXPORT(fw_check_spin_destroy_, pthread_spin_destroy, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_spin_destroy_, pthread_spin_destroy, GLIBC_2_2_5);

static int fw_check_spin_trylock_(pthread_spinlock_t *l)
{
    struct fw_check_target_ target = target_of(l);
    int error = fw_posix_spin_trylock_(l);

    if (error == 0)
        fw_check_got_(&target, FW_SITE_);
    return error;
}
FW_EXPORT(fw_check_spin_trylock_, pthread_spin_trylock, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_spin_trylock_, pthread_spin_trylock, GLIBC_2_2_5);

static int fw_check_spin_lock_(pthread_spinlock_t *l)
{
    struct fw_check_target_ target = target_of(l);
    int error;

    fw_check_before_(&target, FW_CHECK_WAITS, FW_SITE_);
    error = fw_posix_spin_lock_(l);
    fw_check_got_(&target, FW_SITE_);
    return error;
}
FW_EXPORT(fw_check_spin_lock_, pthread_spin_lock, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_spin_lock_, pthread_spin_lock, GLIBC_2_2_5);

static int fw_check_spin_unlock_(pthread_spinlock_t *l)
{
    if (!fw_check_leave_((const void *)l))
        fw_check_release_((const void *)l, FW_CHECK_UNKNOWN, FW_SITE_);
    return fw_posix_spin_unlock_(l);
}
FW_EXPORT(fw_check_spin_unlock_, pthread_spin_unlock, GLIBC_2_34);
FW_EXPORT_OLD(fw_check_spin_unlock_, pthread_spin_unlock, GLIBC_2_2_5);
