/* SPDX-License-Identifier: MIT */
#include "ipc_gates_calls.h"

extern const struct ipc_gates_calls CALLS;

const struct ipc_gates_calls CALLS = {
    .ground = IPC_GROUND_CALLS,
    .take = fw_ipc_permits_take,
    .give = fw_ipc_permits_give,
    .wait = fw_ipc_barrier_wait_policy,
    .join = fw_ipc_barrier_join,
    .arrive = fw_ipc_barrier_arrive,
    .await = fw_ipc_barrier_await,
    .leave = fw_ipc_barrier_leave,
    .reset = fw_ipc_barrier_reset,
    .call = fw_ipc_once_call_slow_,
    .sem_init = fw_ipc_sem_init,
    .sem_trywait = fw_ipc_sem_trywait,
    .sem_wait = fw_ipc_sem_wait_policy,
    .sem_post_n = fw_ipc_sem_post_n,
};
