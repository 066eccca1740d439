/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_RWLOCK_H
#define FURWOCK_BITS_ANNOTATED_RWLOCK_H

#include <furwock/rwlock.h>

#ifdef FW_ANNOTATED_

/* The calls of furwock/rwlock.h for race detectors; internal: bits/annotate.h. */

FW_NOTED_ANALYSED_(void, fw_rwlock_rdlock, (fw_rwlock * l), FW_ACQUIRE_SHARED(l))
FW_NOTED_ANALYSED_(int, fw_rwlock_tryrdlock, (fw_rwlock * l), FW_TRY_ACQUIRE_SHARED(0, l))
FW_NOTED_ANALYSED_(int, fw_rwlock_timedrdlock, (fw_rwlock * l, const fw_deadline *deadline),
                   FW_TRY_ACQUIRE_SHARED(0, l))
FW_NOTED_ANALYSED_(int, fw_rwlock_rdlock_policy,
                   (fw_rwlock * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                   FW_TRY_ACQUIRE_SHARED(0, l))
FW_NOTED_ANALYSED_(void, fw_rwlock_rdunlock, (fw_rwlock * l), FW_RELEASE_SHARED(l))
FW_NOTED_ANALYSED_(void, fw_rwlock_wrlock, (fw_rwlock * l), FW_ACQUIRE(l))
FW_NOTED_ANALYSED_(int, fw_rwlock_trywrlock, (fw_rwlock * l), FW_TRY_ACQUIRE(0, l))
FW_NOTED_ANALYSED_(int, fw_rwlock_timedwrlock, (fw_rwlock * l, const fw_deadline *deadline),
                   FW_TRY_ACQUIRE(0, l))
FW_NOTED_ANALYSED_(int, fw_rwlock_wrlock_policy,
                   (fw_rwlock * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                   FW_TRY_ACQUIRE(0, l))
FW_NOTED_ANALYSED_(void, fw_rwlock_wrunlock, (fw_rwlock * l), FW_RELEASE(l))
FW_NOTED_ANALYSED_(void, fw_rwlock_upgradable_lock, (fw_rwlock * l), FW_ACQUIRE_SHARED(l))
FW_NOTED_ANALYSED_(int, fw_rwlock_upgradable_trylock, (fw_rwlock * l), FW_TRY_ACQUIRE_SHARED(0, l))
FW_NOTED_ANALYSED_(int, fw_rwlock_upgradable_timedlock,
                   (fw_rwlock * l, const fw_deadline *deadline), FW_TRY_ACQUIRE_SHARED(0, l))
FW_NOTED_ANALYSED_(int, fw_rwlock_upgradable_lock_policy,
                   (fw_rwlock * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                   FW_TRY_ACQUIRE_SHARED(0, l))
FW_NOTED_ANALYSED_(void, fw_rwlock_upgradable_unlock, (fw_rwlock * l), FW_RELEASE_SHARED(l))
FW_NOTED_ANALYSED_(void, fw_rwlock_upgrade, (fw_rwlock * l), FW_RELEASE_SHARED(l) FW_ACQUIRE(l))
FW_NOTED_ANALYSED_(void, fw_rwlock_downgrade, (fw_rwlock * l),
                   FW_RELEASE_GENERIC(l) FW_ACQUIRE_SHARED(l))
FW_NOTED_ANALYSED_(void, fw_rwlock_downgrade_upgradable, (fw_rwlock * l),
                   FW_RELEASE(l) FW_ACQUIRE_SHARED(l))
FW_NOTED_ANALYSED_(void, fw_rwlock_unlock, (fw_rwlock * l), FW_RELEASE_GENERIC(l))

FW_NOTED_LOCK_(fw_rwlock_rdlock, FW_NOTE_READ_, (fw_rwlock * l))
FW_NOTED_TRYLOCK_(fw_rwlock_tryrdlock, FW_NOTE_READ_, (fw_rwlock * l))
FW_NOTED_LOCK_INT_(fw_rwlock_timedrdlock, FW_NOTE_READ_,
                   (fw_rwlock * l, const fw_deadline *deadline), (l, deadline))
FW_NOTED_LOCK_INT_(fw_rwlock_rdlock_policy, FW_NOTE_READ_,
                   (fw_rwlock * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                   (l, policy, deadline))
FW_NOTED_UNLOCK_(fw_rwlock_rdunlock, FW_NOTE_READ_, (fw_rwlock * l))
FW_NOTED_LOCK_(fw_rwlock_wrlock, FW_NOTE_WRITE_, (fw_rwlock * l))
FW_NOTED_TRYLOCK_(fw_rwlock_trywrlock, FW_NOTE_WRITE_, (fw_rwlock * l))
FW_NOTED_LOCK_INT_(fw_rwlock_timedwrlock, FW_NOTE_WRITE_,
                   (fw_rwlock * l, const fw_deadline *deadline), (l, deadline))
FW_NOTED_LOCK_INT_(fw_rwlock_wrlock_policy, FW_NOTE_WRITE_,
                   (fw_rwlock * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                   (l, policy, deadline))
FW_NOTED_UNLOCK_(fw_rwlock_wrunlock, FW_NOTE_WRITE_, (fw_rwlock * l))
FW_NOTED_LOCK_(fw_rwlock_upgradable_lock, FW_NOTE_READ_, (fw_rwlock * l))
FW_NOTED_TRYLOCK_(fw_rwlock_upgradable_trylock, FW_NOTE_READ_, (fw_rwlock * l))
FW_NOTED_LOCK_INT_(fw_rwlock_upgradable_timedlock, FW_NOTE_READ_,
                   (fw_rwlock * l, const fw_deadline *deadline), (l, deadline))
FW_NOTED_LOCK_INT_(fw_rwlock_upgradable_lock_policy, FW_NOTE_READ_,
                   (fw_rwlock * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                   (l, policy, deadline))
FW_NOTED_UNLOCK_(fw_rwlock_upgradable_unlock, FW_NOTE_READ_, (fw_rwlock * l))

/* A conversion: a detector sees the one mode end and the other begin. */
static inline void fw_rwlock_note_turned_(fw_rwlock *l, int from, int to)
{
    FW_NOTE_UNLOCK_(l, from);
    FW_NOTE_TRYING_(l, to);
    FW_NOTE_TRIED_(l, to, 1);
}

static inline int fw_rwlock_note_upgraded_(fw_rwlock *l, int error)
{
    if (error == 0)
        fw_rwlock_note_turned_(l, FW_NOTE_READ_, FW_NOTE_WRITE_);
    return error;
}

static inline int fw_rwlock_tryupgrade_noted_(fw_rwlock *l)
{
    return fw_rwlock_note_upgraded_(l, fw_rwlock_tryupgrade(l));
}

static inline void fw_rwlock_upgrade_noted_(fw_rwlock *l)
{
    fw_rwlock_upgrade(l);
    (void)fw_rwlock_note_upgraded_(l, 0);
}

static inline int fw_rwlock_timedupgrade_noted_(fw_rwlock *l, const fw_deadline *deadline)
{
    return fw_rwlock_note_upgraded_(l, fw_rwlock_timedupgrade(l, deadline));
}

/* The caller holds it: if there is a writer, that is the caller. */
static inline int fw_rwlock_noted_mode_(const fw_rwlock *l)
{
    return (fw_load64_relaxed(&l->state_) & FW_RWLOCK_WRITE_) != 0 ? FW_NOTE_WRITE_ : FW_NOTE_READ_;
}

static inline void fw_rwlock_downgrade_noted_(fw_rwlock *l)
{
    if (fw_rwlock_noted_mode_(l) == FW_NOTE_WRITE_)
        fw_rwlock_note_turned_(l, FW_NOTE_WRITE_, FW_NOTE_READ_);
    fw_rwlock_downgrade(l);
}

static inline void fw_rwlock_downgrade_upgradable_noted_(fw_rwlock *l)
{
    fw_rwlock_note_turned_(l, FW_NOTE_WRITE_, FW_NOTE_READ_);
    fw_rwlock_downgrade_upgradable(l);
}

static inline void fw_rwlock_unlock_noted_(fw_rwlock *l)
{
    int mode = fw_rwlock_noted_mode_(l);

    FW_NOTE_UNLOCK_(l, mode);
    fw_rwlock_unlock(l);
}

#define fw_rwlock_rdlock fw_rwlock_rdlock_noted_
#define fw_rwlock_wrlock fw_rwlock_wrlock_noted_
#define fw_rwlock_upgradable_lock fw_rwlock_upgradable_lock_noted_
#define fw_rwlock_tryrdlock fw_rwlock_tryrdlock_noted_
#define fw_rwlock_trywrlock fw_rwlock_trywrlock_noted_
#define fw_rwlock_upgradable_trylock fw_rwlock_upgradable_trylock_noted_
#define fw_rwlock_timedrdlock fw_rwlock_timedrdlock_noted_
#define fw_rwlock_timedwrlock fw_rwlock_timedwrlock_noted_
#define fw_rwlock_upgradable_timedlock fw_rwlock_upgradable_timedlock_noted_
#define fw_rwlock_rdlock_policy fw_rwlock_rdlock_policy_noted_
#define fw_rwlock_wrlock_policy fw_rwlock_wrlock_policy_noted_
#define fw_rwlock_upgradable_lock_policy fw_rwlock_upgradable_lock_policy_noted_
#define fw_rwlock_rdunlock fw_rwlock_rdunlock_noted_
#define fw_rwlock_wrunlock fw_rwlock_wrunlock_noted_
#define fw_rwlock_upgradable_unlock fw_rwlock_upgradable_unlock_noted_
#define fw_rwlock_tryupgrade fw_rwlock_tryupgrade_noted_
#define fw_rwlock_upgrade fw_rwlock_upgrade_noted_
#define fw_rwlock_timedupgrade fw_rwlock_timedupgrade_noted_
#define fw_rwlock_downgrade fw_rwlock_downgrade_noted_
#define fw_rwlock_downgrade_upgradable fw_rwlock_downgrade_upgradable_noted_
#define fw_rwlock_unlock fw_rwlock_unlock_noted_

#endif

#endif
