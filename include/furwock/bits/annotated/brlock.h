/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_BRLOCK_H
#define FURWOCK_BITS_ANNOTATED_BRLOCK_H

#include <furwock/brlock.h>

#ifdef FW_ANNOTATED_

/* The calls of furwock/brlock.h for race detectors; internal: bits/annotate.h. */

FW_NOTED_ANALYSED_(void, fw_brlock_rdlock, (fw_brlock * l), FW_ACQUIRE_SHARED(l))
FW_NOTED_ANALYSED_(int, fw_brlock_tryrdlock, (fw_brlock * l), FW_TRY_ACQUIRE_SHARED(0, l))
FW_NOTED_ANALYSED_(int, fw_brlock_timedrdlock, (fw_brlock * l, const fw_deadline *deadline),
                   FW_TRY_ACQUIRE_SHARED(0, l))
FW_NOTED_ANALYSED_(int, fw_brlock_rdlock_policy,
                   (fw_brlock * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                   FW_TRY_ACQUIRE_SHARED(0, l))
FW_NOTED_ANALYSED_(void, fw_brlock_rdunlock, (fw_brlock * l), FW_RELEASE_SHARED(l))
FW_NOTED_ANALYSED_(void, fw_brlock_wrlock, (fw_brlock * l), FW_ACQUIRE(l))
FW_NOTED_ANALYSED_(int, fw_brlock_trywrlock, (fw_brlock * l), FW_TRY_ACQUIRE(0, l))
FW_NOTED_ANALYSED_(int, fw_brlock_timedwrlock, (fw_brlock * l, const fw_deadline *deadline),
                   FW_TRY_ACQUIRE(0, l))
FW_NOTED_ANALYSED_(int, fw_brlock_wrlock_policy,
                   (fw_brlock * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                   FW_TRY_ACQUIRE(0, l))
FW_NOTED_ANALYSED_(void, fw_brlock_wrunlock, (fw_brlock * l), FW_RELEASE(l))

FW_NOTED_LOCK_(fw_brlock_rdlock, FW_NOTE_READ_, (fw_brlock * l))
FW_NOTED_TRYLOCK_(fw_brlock_tryrdlock, FW_NOTE_READ_, (fw_brlock * l))
FW_NOTED_LOCK_INT_(fw_brlock_timedrdlock, FW_NOTE_READ_,
                   (fw_brlock * l, const fw_deadline *deadline), (l, deadline))
FW_NOTED_LOCK_INT_(fw_brlock_rdlock_policy, FW_NOTE_READ_,
                   (fw_brlock * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                   (l, policy, deadline))
FW_NOTED_UNLOCK_(fw_brlock_rdunlock, FW_NOTE_READ_, (fw_brlock * l))
FW_NOTED_LOCK_(fw_brlock_wrlock, FW_NOTE_WRITE_, (fw_brlock * l))
FW_NOTED_TRYLOCK_(fw_brlock_trywrlock, FW_NOTE_WRITE_, (fw_brlock * l))
FW_NOTED_LOCK_INT_(fw_brlock_timedwrlock, FW_NOTE_WRITE_,
                   (fw_brlock * l, const fw_deadline *deadline), (l, deadline))
FW_NOTED_LOCK_INT_(fw_brlock_wrlock_policy, FW_NOTE_WRITE_,
                   (fw_brlock * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                   (l, policy, deadline))
FW_NOTED_UNLOCK_(fw_brlock_wrunlock, FW_NOTE_WRITE_, (fw_brlock * l))

#define fw_brlock_rdlock fw_brlock_rdlock_noted_
#define fw_brlock_wrlock fw_brlock_wrlock_noted_
#define fw_brlock_tryrdlock fw_brlock_tryrdlock_noted_
#define fw_brlock_trywrlock fw_brlock_trywrlock_noted_
#define fw_brlock_timedrdlock fw_brlock_timedrdlock_noted_
#define fw_brlock_timedwrlock fw_brlock_timedwrlock_noted_
#define fw_brlock_rdlock_policy fw_brlock_rdlock_policy_noted_
#define fw_brlock_wrlock_policy fw_brlock_wrlock_policy_noted_
#define fw_brlock_rdunlock fw_brlock_rdunlock_noted_
#define fw_brlock_wrunlock fw_brlock_wrunlock_noted_

#endif

#endif
