/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_COND_CALLS_H
#define MODEL_IPC_COND_CALLS_H

#include <furwock/ipc/cond.h>

#include "ipc_calls.h"

/* The condition variable between processes, and its mutex. */
#define IPC_COND_CALLS(CALL, DATA)                          \
    DATA(struct ipc_region_calls, region, IPC_REGION_CALLS) \
    CALL(wait, fw_ipc_cond_wait_policy)                     \
    CALL(signal, fw_ipc_cond_signal)                        \
    CALL(broadcast, fw_ipc_cond_broadcast)                  \
    CALL(lock, fw_ipc_mutex_lock_policy)                    \
    CALL(consistent, fw_ipc_mutex_consistent)               \
    CALL(unlock, fw_ipc_mutex_unlock)
CALLS_TYPE(ipc_cond, IPC_COND_CALLS);

#define ipc_cond_in_use ((const struct ipc_cond_calls *)calls_in_use[FAMILY_IPC_COND])

#endif
