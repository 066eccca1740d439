/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_IPC_RWLOCK_H
#define FURWOCK_BITS_ANNOTATED_IPC_RWLOCK_H

#include <furwock/ipc/rwlock.h>

#ifdef FW_ANNOTATED_

/* The calls of furwock/ipc/rwlock.h for race detectors; internal: bits/annotate.h. */

FW_NOTED_LOCK_INT_(fw_ipc_rwlock_rdlock, FW_NOTE_READ_, (fw_ipc_rwlock * l), (l))
FW_NOTED_TRYLOCK_(fw_ipc_rwlock_tryrdlock, FW_NOTE_READ_, (fw_ipc_rwlock * l))
FW_NOTED_LOCK_INT_(fw_ipc_rwlock_timedrdlock, FW_NOTE_READ_,
                   (fw_ipc_rwlock * l, const fw_deadline *deadline), (l, deadline))
FW_NOTED_LOCK_INT_(fw_ipc_rwlock_rdlock_policy, FW_NOTE_READ_,
                   (fw_ipc_rwlock * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                   (l, policy, deadline))
FW_NOTED_UNLOCK_INT_(fw_ipc_rwlock_rdunlock, FW_NOTE_READ_, (fw_ipc_rwlock * l))
FW_NOTED_LOCK_INT_(fw_ipc_rwlock_wrlock, FW_NOTE_WRITE_, (fw_ipc_rwlock * l), (l))
FW_NOTED_TRYLOCK_(fw_ipc_rwlock_trywrlock, FW_NOTE_WRITE_, (fw_ipc_rwlock * l))
FW_NOTED_LOCK_INT_(fw_ipc_rwlock_timedwrlock, FW_NOTE_WRITE_,
                   (fw_ipc_rwlock * l, const fw_deadline *deadline), (l, deadline))
FW_NOTED_LOCK_INT_(fw_ipc_rwlock_wrlock_policy, FW_NOTE_WRITE_,
                   (fw_ipc_rwlock * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                   (l, policy, deadline))
FW_NOTED_UNLOCK_INT_(fw_ipc_rwlock_wrunlock, FW_NOTE_WRITE_, (fw_ipc_rwlock * l))
FW_NOTED_LOCK_INT_(fw_ipc_rwlock_upgradable_lock, FW_NOTE_READ_, (fw_ipc_rwlock * l), (l))
FW_NOTED_TRYLOCK_(fw_ipc_rwlock_upgradable_trylock, FW_NOTE_READ_, (fw_ipc_rwlock * l))
FW_NOTED_LOCK_INT_(fw_ipc_rwlock_upgradable_timedlock, FW_NOTE_READ_,
                   (fw_ipc_rwlock * l, const fw_deadline *deadline), (l, deadline))
FW_NOTED_LOCK_INT_(fw_ipc_rwlock_upgradable_lock_policy, FW_NOTE_READ_,
                   (fw_ipc_rwlock * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                   (l, policy, deadline))
FW_NOTED_UNLOCK_INT_(fw_ipc_rwlock_upgradable_unlock, FW_NOTE_READ_, (fw_ipc_rwlock * l))

/* A conversion: a detector sees the one mode end and the other begin. */
static inline void fw_ipc_rwlock_note_turned_(fw_ipc_rwlock *l, int from, int to)
{
    FW_NOTE_UNLOCK_(l, from);
    FW_NOTE_TRYING_(l, to);
    FW_NOTE_TRIED_(l, to, 1);
}

static inline int fw_ipc_rwlock_note_upgraded_(fw_ipc_rwlock *l, int error)
{
    if (FW_NOTE_TAKEN_(error))
        fw_ipc_rwlock_note_turned_(l, FW_NOTE_READ_, FW_NOTE_WRITE_);
    return error;
}

static inline int fw_ipc_rwlock_tryupgrade_noted_(fw_ipc_rwlock *l)
{
    return fw_ipc_rwlock_note_upgraded_(l, fw_ipc_rwlock_tryupgrade(l));
}

static inline int fw_ipc_rwlock_upgrade_noted_(fw_ipc_rwlock *l)
{
    return fw_ipc_rwlock_note_upgraded_(l, fw_ipc_rwlock_upgrade(l));
}

static inline int fw_ipc_rwlock_timedupgrade_noted_(fw_ipc_rwlock *l, const fw_deadline *deadline)
{
    return fw_ipc_rwlock_note_upgraded_(l, fw_ipc_rwlock_timedupgrade(l, deadline));
}

static inline int fw_ipc_rwlock_noted_mode_(const fw_ipc_rwlock *l)
{
    return fw_ipc_rwlock_held_by_me(l) == FW_IPC_RWLOCK_WRITE ? FW_NOTE_WRITE_ : FW_NOTE_READ_;
}

static inline int fw_ipc_rwlock_downgrade_noted_(fw_ipc_rwlock *l)
{
    if (fw_ipc_rwlock_noted_mode_(l) == FW_NOTE_WRITE_)
        fw_ipc_rwlock_note_turned_(l, FW_NOTE_WRITE_, FW_NOTE_READ_);
    return fw_ipc_rwlock_downgrade(l);
}

static inline int fw_ipc_rwlock_downgrade_upgradable_noted_(fw_ipc_rwlock *l)
{
    if (fw_ipc_rwlock_noted_mode_(l) == FW_NOTE_WRITE_)
        fw_ipc_rwlock_note_turned_(l, FW_NOTE_WRITE_, FW_NOTE_READ_);
    return fw_ipc_rwlock_downgrade_upgradable(l);
}

static inline int fw_ipc_rwlock_unlock_noted_(fw_ipc_rwlock *l)
{
    int mode = fw_ipc_rwlock_noted_mode_(l);

    FW_NOTE_UNLOCK_(l, mode);
    return fw_ipc_rwlock_unlock(l);
}

#define fw_ipc_rwlock_rdlock fw_ipc_rwlock_rdlock_noted_
#define fw_ipc_rwlock_wrlock fw_ipc_rwlock_wrlock_noted_
#define fw_ipc_rwlock_upgradable_lock fw_ipc_rwlock_upgradable_lock_noted_
#define fw_ipc_rwlock_tryrdlock fw_ipc_rwlock_tryrdlock_noted_
#define fw_ipc_rwlock_trywrlock fw_ipc_rwlock_trywrlock_noted_
#define fw_ipc_rwlock_upgradable_trylock fw_ipc_rwlock_upgradable_trylock_noted_
#define fw_ipc_rwlock_timedrdlock fw_ipc_rwlock_timedrdlock_noted_
#define fw_ipc_rwlock_timedwrlock fw_ipc_rwlock_timedwrlock_noted_
#define fw_ipc_rwlock_upgradable_timedlock fw_ipc_rwlock_upgradable_timedlock_noted_
#define fw_ipc_rwlock_rdlock_policy fw_ipc_rwlock_rdlock_policy_noted_
#define fw_ipc_rwlock_wrlock_policy fw_ipc_rwlock_wrlock_policy_noted_
#define fw_ipc_rwlock_upgradable_lock_policy fw_ipc_rwlock_upgradable_lock_policy_noted_
#define fw_ipc_rwlock_rdunlock fw_ipc_rwlock_rdunlock_noted_
#define fw_ipc_rwlock_wrunlock fw_ipc_rwlock_wrunlock_noted_
#define fw_ipc_rwlock_upgradable_unlock fw_ipc_rwlock_upgradable_unlock_noted_
#define fw_ipc_rwlock_tryupgrade fw_ipc_rwlock_tryupgrade_noted_
#define fw_ipc_rwlock_upgrade fw_ipc_rwlock_upgrade_noted_
#define fw_ipc_rwlock_timedupgrade fw_ipc_rwlock_timedupgrade_noted_
#define fw_ipc_rwlock_downgrade fw_ipc_rwlock_downgrade_noted_
#define fw_ipc_rwlock_downgrade_upgradable fw_ipc_rwlock_downgrade_upgradable_noted_
#define fw_ipc_rwlock_unlock fw_ipc_rwlock_unlock_noted_

#endif

#endif
