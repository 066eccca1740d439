/* SPDX-License-Identifier: MIT */
#include "ipc_rwlock_calls.h"

extern const struct ipc_rwlock_calls CALLS;

const struct ipc_rwlock_calls CALLS = {
    .ground = IPC_GROUND_CALLS,
    .try_read = fw_ipc_rwlock_tryrdlock,
    .read = fw_ipc_rwlock_rdlock_policy,
    .end_read = fw_ipc_rwlock_rdunlock,
    .try_write = fw_ipc_rwlock_trywrlock,
    .write = fw_ipc_rwlock_wrlock_policy,
    .end_write = fw_ipc_rwlock_wrunlock,
    .up = fw_ipc_rwlock_upgradable_lock_policy,
    .end_up = fw_ipc_rwlock_upgradable_unlock,
    .upgrade = fw_ipc_rwlock_timedupgrade,
    .downgrade = fw_ipc_rwlock_downgrade,
    .consistent = fw_ipc_rwlock_consistent,
    .on_death = fw_ipc_rwlock_on_death,
};
