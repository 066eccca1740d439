/* SPDX-License-Identifier: MIT */
/* Contract: native.h.  The semaphore's is native_sem.c: the library that checks has it, too. */
#include "export.h"
#include "native.h"
#include "stat.h"

static void native_mutex_lock(fw_mutex *m)
{
    fw_stat_native_mutex_lock_(m, FW_SITE_);
}
FW_EXPORT_NATIVE_ABI(native_mutex_lock, fw_mutex_lock_slow);

static int native_mutex_timedlock(fw_mutex *m, const fw_deadline *deadline)
{
    return fw_stat_native_mutex_timedlock_(m, deadline, FW_SITE_);
}
FW_EXPORT_NATIVE(native_mutex_timedlock, fw_mutex_timedlock);

static void native_rdlock(fw_rwlock *l, uint64_t seen)
{
    fw_stat_native_rdlock_(l, seen, FW_SITE_);
}
FW_EXPORT_NATIVE_ABI(native_rdlock, fw_rwlock_rdlock_slow);

static void native_wrlock(fw_rwlock *l, uint64_t seen)
{
    fw_stat_native_wrlock_(l, seen, FW_SITE_);
}
FW_EXPORT_NATIVE_ABI(native_wrlock, fw_rwlock_wrlock_slow);

static void native_cond_wait(fw_cond *c, fw_mutex *m)
{
    fw_stat_native_cond_wait_(c, m, FW_SITE_);
}
FW_EXPORT_NATIVE(native_cond_wait, fw_cond_wait);

static int native_cond_timedwait(fw_cond *c, fw_mutex *m, const fw_deadline *deadline)
{
    return fw_stat_native_cond_timedwait_(c, m, deadline, FW_SITE_);
}
FW_EXPORT_NATIVE(native_cond_timedwait, fw_cond_timedwait);
