/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_RWLOCK_CALLS_H
#define MODEL_IPC_RWLOCK_CALLS_H

#include <furwock/ipc/rwlock.h>

#include "ipc_calls.h"

struct ipc_rwlock_calls {
    struct ipc_ground_calls ground;
    int (*try_read)(fw_ipc_rwlock *l);
    int (*read)(fw_ipc_rwlock *l, const fw_wait_policy *policy, const fw_deadline *deadline);
    int (*end_read)(fw_ipc_rwlock *l);
    int (*try_write)(fw_ipc_rwlock *l);
    int (*write)(fw_ipc_rwlock *l, const fw_wait_policy *policy, const fw_deadline *deadline);
    int (*end_write)(fw_ipc_rwlock *l);
    int (*up)(fw_ipc_rwlock *l, const fw_wait_policy *policy, const fw_deadline *deadline);
    int (*end_up)(fw_ipc_rwlock *l);
    int (*upgrade)(fw_ipc_rwlock *l, const fw_deadline *deadline);
    int (*downgrade)(fw_ipc_rwlock *l);
    int (*consistent)(fw_ipc_rwlock *l);
    int (*on_death)(fw_ipc_rwlock *l, int (*repair)(void *arg, const fw_ipc_death *), void *arg);
};

#define ipc_rwlock_in_use ((const struct ipc_rwlock_calls *)calls_in_use[FAMILY_IPC_RWLOCK])

#endif
