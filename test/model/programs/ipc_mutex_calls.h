/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_MUTEX_CALLS_H
#define MODEL_IPC_MUTEX_CALLS_H

#include <furwock/ipc/mutex.h>

#include "ipc_calls.h"

#define IPC_MUTEX_CALLS(CALL, DATA)                         \
    DATA(struct ipc_region_calls, region, IPC_REGION_CALLS) \
    CALL(trylock, fw_ipc_mutex_trylock)                     \
    CALL(lock, fw_ipc_mutex_lock_policy)                    \
    CALL(unlock, fw_ipc_mutex_unlock)                       \
    CALL(consistent, fw_ipc_mutex_consistent)               \
    CALL(death, fw_ipc_mutex_death)                         \
    CALL(on_death, fw_ipc_mutex_on_death)
CALLS_TYPE(ipc_mutex, IPC_MUTEX_CALLS);

#define ipc_mutex_in_use ((const struct ipc_mutex_calls *)calls_in_use[FAMILY_IPC_MUTEX])

#endif
