/* SPDX-License-Identifier: MIT */
#include "ipc_mutex_calls.h"

extern const struct ipc_mutex_calls CALLS;

const struct ipc_mutex_calls CALLS = {
    .ground = IPC_GROUND_CALLS,
    .trylock = fw_ipc_mutex_trylock,
    .lock = fw_ipc_mutex_lock_policy,
    .unlock = fw_ipc_mutex_unlock,
    .consistent = fw_ipc_mutex_consistent,
    .death = fw_ipc_mutex_death,
    .on_death = fw_ipc_mutex_on_death,
};
