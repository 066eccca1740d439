/* SPDX-License-Identifier: MIT */
/*
 * fw_ipc_mutex and fw_ipc_rwlock of the library that checks, as this process sees them.  The fast
 * path of the mutex's lock is compiled into callers, as that of fw_mutex; all else are calls.
 *
 * A forked child holds nothing of what its parent does.
 */
#include <furwock/ipc/mutex.h>
#include <furwock/ipc/rwlock.h>

#include "native.h"

/* --- The mutex: EDEADLK tells of a second lock by the owner ----------------------------------- */

static struct fw_check_target_ mutex_of(fw_ipc_mutex *m, bool reads)
{
    return (struct fw_check_target_){
        .object = m, .reads = reads, .refuses_relock = true, .is_left_by_fork = true};
}

/* Threads of other processes are not told apart from those of this one. */
static uint32_t owner_of_mutex(const fw_ipc_mutex *m)
{
    if (FW_NATIVE_(fw_ipc_mutex_is_held_by_me)(m))
        return fw_check_native_owner_(true, 0);
    return fw_load64_relaxed(&m->word_) == 0 ? 0 : FW_CHECK_UNKNOWN;
}

static int checked_fw_ipc_mutex_init(fw_ipc_mutex *m)
{
    fw_check_native_made_(m, FW_SITE_);
    return FW_NATIVE_(fw_ipc_mutex_init)(m);
}
FW_CHECKED_(fw_ipc_mutex_init);

static int lock(fw_ipc_mutex *m, int (*next)(fw_ipc_mutex *), const void *site)
{
    struct fw_check_target_ target = mutex_of(m, false);
    bool looks = fw_check_native_looks_(site);
    int error;

    if (looks)
        fw_check_before_(&target, FW_CHECK_WAITS, site);
    error = next(m);
    if (looks && (error == 0 || error == EOWNERDEAD))
        fw_check_got_(&target, site);
    return error;
}

static int checked_fw_ipc_mutex_lock(fw_ipc_mutex *m)
{
    return lock(m, FW_NATIVE_(fw_ipc_mutex_lock), FW_SITE_);
}
FW_CHECKED_(fw_ipc_mutex_lock);

static int checked_fw_ipc_mutex_lock_slow(fw_ipc_mutex *m)
{
    return lock(m, FW_NATIVE_ABI_(fw_ipc_mutex_lock_slow), FW_SITE_);
}
FW_EXPORT_NATIVE_ABI(checked_fw_ipc_mutex_lock_slow, fw_ipc_mutex_lock_slow);

FW_CHECKED_TRY(fw_ipc_mutex_trylock, fw_ipc_mutex, mutex_of, false);
FW_CHECKED_TIMED(fw_ipc_mutex_timedlock, fw_ipc_mutex, mutex_of, false);
FW_CHECKED_POLICY(fw_ipc_mutex_lock_policy, fw_ipc_mutex, mutex_of, false);
FW_CHECKED_UNLOCK_INT(fw_ipc_mutex_unlock, fw_ipc_mutex, owner_of_mutex);

/* --- The read-write lock ---------------------------------------------------------------------- */

static struct fw_check_target_ rwlock_of(fw_ipc_rwlock *l, bool reads)
{
    return (struct fw_check_target_){.object = l,
                                     .reads = reads,
                                     .refuses_relock = true,
                                     .blocks_readers = true,
                                     .is_left_by_fork = true};
}

static uint32_t owner_of_rwlock(const fw_ipc_rwlock *l)
{
    if (FW_NATIVE_(fw_ipc_rwlock_held_by_me)(l) != FW_IPC_RWLOCK_NONE)
        return fw_check_native_owner_(true, 0);
    return fw_load64_relaxed(&l->word_) == 0 ? 0 : FW_CHECK_UNKNOWN;
}

static int checked_fw_ipc_rwlock_init(fw_ipc_rwlock *l)
{
    fw_check_native_made_(l, FW_SITE_);
    return FW_NATIVE_(fw_ipc_rwlock_init)(l);
}
FW_CHECKED_(fw_ipc_rwlock_init);

FW_CHECKED_TRY(fw_ipc_rwlock_tryrdlock, fw_ipc_rwlock, rwlock_of, true);
FW_CHECKED_WAIT(fw_ipc_rwlock_rdlock, fw_ipc_rwlock, rwlock_of, true);
FW_CHECKED_TIMED(fw_ipc_rwlock_timedrdlock, fw_ipc_rwlock, rwlock_of, true);
FW_CHECKED_POLICY(fw_ipc_rwlock_rdlock_policy, fw_ipc_rwlock, rwlock_of, true);
FW_CHECKED_UNLOCK_INT(fw_ipc_rwlock_rdunlock, fw_ipc_rwlock, owner_of_rwlock);
FW_CHECKED_TRY(fw_ipc_rwlock_trywrlock, fw_ipc_rwlock, rwlock_of, false);
FW_CHECKED_WAIT(fw_ipc_rwlock_wrlock, fw_ipc_rwlock, rwlock_of, false);
FW_CHECKED_TIMED(fw_ipc_rwlock_timedwrlock, fw_ipc_rwlock, rwlock_of, false);
FW_CHECKED_POLICY(fw_ipc_rwlock_wrlock_policy, fw_ipc_rwlock, rwlock_of, false);
FW_CHECKED_UNLOCK_INT(fw_ipc_rwlock_wrunlock, fw_ipc_rwlock, owner_of_rwlock);
FW_CHECKED_UNLOCK_INT(fw_ipc_rwlock_unlock, fw_ipc_rwlock, owner_of_rwlock);
FW_CHECKED_TRY(fw_ipc_rwlock_upgradable_trylock, fw_ipc_rwlock, rwlock_of, false);
FW_CHECKED_WAIT(fw_ipc_rwlock_upgradable_lock, fw_ipc_rwlock, rwlock_of, false);
FW_CHECKED_TIMED(fw_ipc_rwlock_upgradable_timedlock, fw_ipc_rwlock, rwlock_of, false);
FW_CHECKED_POLICY(fw_ipc_rwlock_upgradable_lock_policy, fw_ipc_rwlock, rwlock_of, false);
FW_CHECKED_UNLOCK_INT(fw_ipc_rwlock_upgradable_unlock, fw_ipc_rwlock, owner_of_rwlock);

static int checked_fw_ipc_rwlock_downgrade(fw_ipc_rwlock *l)
{
    int error = FW_NATIVE_(fw_ipc_rwlock_downgrade)(l);

    if (error == 0 || error == EUCLEAN)
        fw_check_now_reads_(l);
    return error;
}
FW_CHECKED_(fw_ipc_rwlock_downgrade);
