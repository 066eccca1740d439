/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_MUTEX_H
#define FURWOCK_BITS_ANNOTATED_MUTEX_H

#include <furwock/mutex.h>

#ifdef FW_ANNOTATED_

/* The calls of furwock/mutex.h for race detectors; internal: bits/annotate.h. */

FW_NOTED_ANALYSED_(void, fw_mutex_lock, (fw_mutex * l), FW_ACQUIRE(l))
FW_NOTED_ANALYSED_(int, fw_mutex_trylock, (fw_mutex * l), FW_TRY_ACQUIRE(0, l))
FW_NOTED_ANALYSED_(int, fw_mutex_timedlock, (fw_mutex * l, const fw_deadline *deadline),
                   FW_TRY_ACQUIRE(0, l))
FW_NOTED_ANALYSED_(int, fw_mutex_lock_policy,
                   (fw_mutex * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                   FW_TRY_ACQUIRE(0, l))
FW_NOTED_ANALYSED_(void, fw_mutex_unlock, (fw_mutex * l), FW_RELEASE(l))
FW_NOTED_ANALYSED_(void, fw_mutex_unlock_fair, (fw_mutex * l), FW_RELEASE(l))

FW_NOTED_LOCK_(fw_mutex_lock, FW_NOTE_WRITE_, (fw_mutex * l))
FW_NOTED_TRYLOCK_(fw_mutex_trylock, FW_NOTE_WRITE_, (fw_mutex * l))
FW_NOTED_LOCK_INT_(fw_mutex_timedlock, FW_NOTE_WRITE_, (fw_mutex * l, const fw_deadline *deadline),
                   (l, deadline))
FW_NOTED_LOCK_INT_(fw_mutex_lock_policy, FW_NOTE_WRITE_,
                   (fw_mutex * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                   (l, policy, deadline))
FW_NOTED_UNLOCK_(fw_mutex_unlock, FW_NOTE_WRITE_, (fw_mutex * l))
FW_NOTED_UNLOCK_(fw_mutex_unlock_fair, FW_NOTE_WRITE_, (fw_mutex * l))

#define fw_mutex_lock fw_mutex_lock_noted_
#define fw_mutex_trylock fw_mutex_trylock_noted_
#define fw_mutex_timedlock fw_mutex_timedlock_noted_
#define fw_mutex_lock_policy fw_mutex_lock_policy_noted_
#define fw_mutex_unlock fw_mutex_unlock_noted_
#define fw_mutex_unlock_fair fw_mutex_unlock_fair_noted_

#endif

#endif
