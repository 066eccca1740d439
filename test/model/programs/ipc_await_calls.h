/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_AWAIT_CALLS_H
#define MODEL_IPC_AWAIT_CALLS_H

#include "ipc_calls.h"

#include <furwock/ipc/await.h>

/* Operations that wait for objects of a region, and their loops; the objects are as shipped. */
#define IPC_AWAIT_CALLS(CALL, DATA)                         \
    DATA(struct ipc_region_calls, region, IPC_REGION_CALLS) \
    CALL(create, fw_loop_create)                            \
    CALL(destroy, fw_loop_destroy)                          \
    CALL(run, fw_loop_run)                                  \
    CALL(wait, fw_loop_wait)                                \
    CALL(init, fw_await_init)                               \
    CALL(cancel, fw_await_cancel)                           \
    CALL(drop, fw_await_drop)                               \
    CALL(mutex, fw_await_ipc_mutex)                         \
    CALL(sem, fw_await_ipc_sem)                             \
    CALL(cond, fw_await_ipc_cond)                           \
    CALL(unlock, fw_task_ipc_mutex_unlock)                  \
    CALL(consistent, fw_task_ipc_mutex_consistent)          \
    CALL(thread_lock, fw_ipc_mutex_lock_policy)             \
    CALL(thread_unlock, fw_ipc_mutex_unlock)                \
    CALL(thread_consistent, fw_ipc_mutex_consistent)        \
    CALL(thread_wait, fw_ipc_cond_wait_policy)              \
    CALL(signal, fw_ipc_cond_signal)                        \
    CALL(broadcast, fw_ipc_cond_broadcast)                  \
    CALL(take, fw_ipc_sem_wait_policy)                      \
    CALL(post, fw_ipc_sem_post_n)                           \
    CALL(permits, fw_await_ipc_permits)                     \
    CALL(permit, fw_await_ipc_permit)                       \
    CALL(permit_give, fw_task_ipc_permits_give)             \
    CALL(thread_permit, fw_ipc_permits_take)                \
    CALL(thread_permit_give, fw_ipc_permits_give)           \
    CALL(read, fw_await_ipc_rdlock)                         \
    CALL(end_read, fw_task_ipc_rwlock_rdunlock)             \
    CALL(write, fw_await_ipc_wrlock)                        \
    CALL(end_write, fw_task_ipc_rwlock_wrunlock)            \
    CALL(write_consistent, fw_task_ipc_rwlock_consistent)
CALLS_OF(ipc_await, IPC_AWAIT);

#endif
