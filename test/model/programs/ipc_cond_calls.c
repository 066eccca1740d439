/* SPDX-License-Identifier: MIT */
#include "ipc_cond_calls.h"

extern const struct ipc_cond_calls CALLS;

const struct ipc_cond_calls CALLS = {
    .ground = IPC_GROUND_CALLS,
    .wait = fw_ipc_cond_wait_policy,
    .signal = fw_ipc_cond_signal,
    .broadcast = fw_ipc_cond_broadcast,
    .lock = fw_ipc_mutex_lock_policy,
    .consistent = fw_ipc_mutex_consistent,
    .unlock = fw_ipc_mutex_unlock,
};
