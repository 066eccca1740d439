/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_IPC_MUTEX_H
#define FURWOCK_BITS_ANNOTATED_IPC_MUTEX_H

#include <furwock/ipc/mutex.h>

#ifdef FW_ANNOTATED_

/* The calls of furwock/ipc/mutex.h for race detectors; internal: bits/annotate.h. */

FW_NOTED_LOCK_INT_(fw_ipc_mutex_lock, FW_NOTE_WRITE_, (fw_ipc_mutex * l), (l))
FW_NOTED_TRYLOCK_(fw_ipc_mutex_trylock, FW_NOTE_WRITE_, (fw_ipc_mutex * l))
FW_NOTED_LOCK_INT_(fw_ipc_mutex_timedlock, FW_NOTE_WRITE_,
                   (fw_ipc_mutex * l, const fw_deadline *deadline), (l, deadline))
FW_NOTED_LOCK_INT_(fw_ipc_mutex_lock_policy, FW_NOTE_WRITE_,
                   (fw_ipc_mutex * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                   (l, policy, deadline))
FW_NOTED_UNLOCK_INT_(fw_ipc_mutex_unlock, FW_NOTE_WRITE_, (fw_ipc_mutex * l))

#define fw_ipc_mutex_lock fw_ipc_mutex_lock_noted_
#define fw_ipc_mutex_trylock fw_ipc_mutex_trylock_noted_
#define fw_ipc_mutex_timedlock fw_ipc_mutex_timedlock_noted_
#define fw_ipc_mutex_lock_policy fw_ipc_mutex_lock_policy_noted_
#define fw_ipc_mutex_unlock fw_ipc_mutex_unlock_noted_

#endif

#endif
