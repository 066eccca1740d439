/* SPDX-License-Identifier: MIT */
/*
 * fw_rwlock of the library that checks.  Callers that are not compiled with FURWOCK_CALLED lock and
 * unlock it without a call: so nothing is looked at until one has called what they would not.
 */
#include "lock.h"
#include "native.h"

static uint32_t is_called;

static fw_rwlock_kind kind_of(const fw_rwlock *l)
{
    return (fw_rwlock_kind)(fw_load64_relaxed(&l->queue_) & 3);
}

static struct fw_check_target_ target_of(fw_rwlock *l, bool reads)
{
    return (struct fw_check_target_){
        .object = l, .reads = reads, .blocks_readers = kind_of(l) != FW_RWLOCK_PREFER_READERS};
}

static bool looks_if_called(const void *site)
{
    return fw_load32_relaxed(&is_called) != 0 && fw_check_native_looks_(site);
}

static bool looks_at_call(const void *site)
{
    if (!fw_check_native_looks_(site))
        return false;
    if (__builtin_expect(fw_load32_relaxed(&is_called) == 0, 0))
        fw_store32_relaxed(&is_called, 1);
    return true;
}

/* 0: nobody has it; readers are not known. */
static uint32_t owner_of(const fw_rwlock *l)
{
    int owner = fw_rwlock_owner(l);

    if (owner == 0 && fw_load64_relaxed(&l->state_) != 0)
        return FW_CHECK_UNKNOWN;
    return fw_check_native_owner_(FW_NATIVE_(fw_rwlock_is_held_by_me)(l), owner);
}

static int checked_fw_rwlock_init(fw_rwlock *l, fw_rwlock_kind kind)
{
    fw_check_native_made_(l, FW_SITE_);
    return FW_NATIVE_(fw_rwlock_init)(l, kind);
}
FW_CHECKED_(fw_rwlock_init);

/* --- Callers that were compiled for it -------------------------------------------------------- */

static void checked_fw_rwlock_rdlock(fw_rwlock *l)
{
    struct fw_check_target_ target = target_of(l, true);
    const void *site = FW_SITE_;
    bool is_seen = looks_at_call(site), counts = is_seen && fw_check_native_enter_(&target, site);

    if (FW_NATIVE_(fw_rwlock_tryrdlock)(l) != 0)
        fw_stat_native_rdlock_(l, fw_load64_relaxed(&l->state_), site);
    if (is_seen && !counts)
        fw_check_got_(&target, site);
}
FW_CHECKED_(fw_rwlock_rdlock);

/* The first time it has to be noted that there are writers. */
static void checked_fw_rwlock_wrlock(fw_rwlock *l)
{
    struct fw_check_target_ target = target_of(l, false);
    const void *site = FW_SITE_;
    bool is_seen = looks_at_call(site);

    if (is_seen)
        fw_check_before_(&target, FW_CHECK_WAITS, site);
    if (FW_NATIVE_(fw_rwlock_trywrlock)(l) != 0)
        fw_stat_native_wrlock_(l, fw_load64_relaxed(&l->state_), site);
    if (is_seen)
        fw_check_got_(&target, site);
}
FW_CHECKED_(fw_rwlock_wrlock);

static void release(fw_rwlock *l, const void *site)
{
    if (!fw_check_leave_(l))
        fw_check_release_(l, owner_of(l), site);
}

static void checked_fw_rwlock_rdunlock(fw_rwlock *l)
{
    if (looks_at_call(FW_SITE_))
        release(l, FW_SITE_);
    FW_NATIVE_(fw_rwlock_rdunlock)(l);
}
FW_CHECKED_(fw_rwlock_rdunlock);

static void checked_fw_rwlock_wrunlock(fw_rwlock *l)
{
    if (looks_at_call(FW_SITE_))
        release(l, FW_SITE_);
    FW_NATIVE_(fw_rwlock_wrunlock)(l);
}
FW_CHECKED_(fw_rwlock_wrunlock);

/* Their slow paths: of callers that are not looked at, and of the library itself. */
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

/* --- All callers ------------------------------------------------------------------------------ */

#undef FW_CHECKED_LOOKS
#define FW_CHECKED_LOOKS looks_if_called

FW_CHECKED_TRY(fw_rwlock_tryrdlock, fw_rwlock, target_of, true);
FW_CHECKED_TIMED(fw_rwlock_timedrdlock, fw_rwlock, target_of, true);
FW_CHECKED_POLICY(fw_rwlock_rdlock_policy, fw_rwlock, target_of, true);
FW_CHECKED_TRY(fw_rwlock_trywrlock, fw_rwlock, target_of, false);
FW_CHECKED_TIMED(fw_rwlock_timedwrlock, fw_rwlock, target_of, false);
FW_CHECKED_POLICY(fw_rwlock_wrlock_policy, fw_rwlock, target_of, false);
FW_CHECKED_UNLOCK(fw_rwlock_unlock, fw_rwlock, owner_of);

/* Upgradable: it excludes others that may become writers, as a writer does. */
FW_CHECKED_TRY(fw_rwlock_upgradable_trylock, fw_rwlock, target_of, false);
FW_CHECKED_LOCK(fw_rwlock_upgradable_lock, fw_rwlock, target_of, false);
FW_CHECKED_TIMED(fw_rwlock_upgradable_timedlock, fw_rwlock, target_of, false);
FW_CHECKED_POLICY(fw_rwlock_upgradable_lock_policy, fw_rwlock, target_of, false);
FW_CHECKED_UNLOCK(fw_rwlock_upgradable_unlock, fw_rwlock, owner_of);

static void checked_fw_rwlock_downgrade(fw_rwlock *l)
{
    FW_NATIVE_(fw_rwlock_downgrade)(l);
    fw_check_now_reads_(l);
}
FW_CHECKED_(fw_rwlock_downgrade);
