/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_RWLOCK_CALLS_H
#define MODEL_IPC_RWLOCK_CALLS_H

#include <furwock/ipc/rwlock.h>

#include "ipc_calls.h"

#define IPC_RWLOCK_CALLS(CALL, DATA)                        \
    DATA(struct ipc_region_calls, region, IPC_REGION_CALLS) \
    CALL(try_read, fw_ipc_rwlock_tryrdlock)                 \
    CALL(read, fw_ipc_rwlock_rdlock_policy)                 \
    CALL(end_read, fw_ipc_rwlock_rdunlock)                  \
    CALL(try_write, fw_ipc_rwlock_trywrlock)                \
    CALL(write, fw_ipc_rwlock_wrlock_policy)                \
    CALL(end_write, fw_ipc_rwlock_wrunlock)                 \
    CALL(up, fw_ipc_rwlock_upgradable_lock_policy)          \
    CALL(end_up, fw_ipc_rwlock_upgradable_unlock)           \
    CALL(upgrade, fw_ipc_rwlock_timedupgrade)               \
    CALL(downgrade, fw_ipc_rwlock_downgrade)                \
    CALL(consistent, fw_ipc_rwlock_consistent)              \
    CALL(on_death, fw_ipc_rwlock_on_death)
CALLS_TYPE(ipc_rwlock, IPC_RWLOCK_CALLS);

#define ipc_rwlock_in_use ((const struct ipc_rwlock_calls *)calls_in_use[FAMILY_IPC_RWLOCK])

#endif
