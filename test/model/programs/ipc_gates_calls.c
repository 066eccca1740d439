/* SPDX-License-Identifier: MIT */
#include "ipc_gates_calls.h"

extern const struct ipc_gates_calls CALLS;

const struct ipc_gates_calls CALLS = {
    .ground = IPC_GROUND_CALLS,
    .take = fw_ipc_units_take,
    .give = fw_ipc_units_give,
    .wait = fw_ipc_barrier_wait_policy,
    .leave = fw_ipc_barrier_leave,
    .reset = fw_ipc_barrier_reset,
    .call = fw_ipc_once_call_slow_,
};
