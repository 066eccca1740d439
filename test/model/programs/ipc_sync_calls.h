/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_SYNC_CALLS_H
#define MODEL_IPC_SYNC_CALLS_H

#include <furwock/ipc/barrier.h>
#include <furwock/ipc/once.h>
#include <furwock/ipc/permits.h>
#include <furwock/ipc/sem.h>

#include "ipc_calls.h"

/* Units, barrier, once and semaphore between processes. */
#define IPC_SYNC_CALLS(CALL, DATA)                          \
    DATA(struct ipc_region_calls, region, IPC_REGION_CALLS) \
    CALL(take, fw_ipc_permits_take)                         \
    CALL(give, fw_ipc_permits_give)                         \
    CALL(wait, fw_ipc_barrier_wait_policy)                  \
    CALL(join, fw_ipc_barrier_join)                         \
    CALL(arrive, fw_ipc_barrier_arrive)                     \
    CALL(await, fw_ipc_barrier_await)                       \
    CALL(leave, fw_ipc_barrier_leave)                       \
    CALL(reset, fw_ipc_barrier_reset)                       \
    CALL(call, fw_ipc_once_call_slow_)                      \
    CALL(sem_init, fw_ipc_sem_init)                         \
    CALL(sem_trywait, fw_ipc_sem_trywait)                   \
    CALL(sem_wait, fw_ipc_sem_wait_policy)                  \
    CALL(sem_post_n, fw_ipc_sem_post_n)
CALLS_TYPE(ipc_sync, IPC_SYNC_CALLS);

#define ipc_sync_in_use ((const struct ipc_sync_calls *)calls_in_use[FAMILY_IPC_SYNC])

#endif
