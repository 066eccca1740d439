// SPDX-License-Identifier: MIT
#ifndef FURWOCK_BITS_CORO_IPC_UNLOCK_HPP
#define FURWOCK_BITS_CORO_IPC_UNLOCK_HPP

#include <furwock/ipc/await.h>

/* How the guards of ipc/coro.hpp unlock; as in bits/coro/guard.hpp. */
namespace fw::detail {

inline int task_ipc_unlock(fw_ipc_mutex *m, fw_task task)
{
    return fw_task_ipc_mutex_unlock(m, task);
}

inline int task_ipc_wrunlock(fw_ipc_rwlock *l, fw_task task)
{
    return fw_task_ipc_rwlock_wrunlock(l, task);
}

inline void task_ipc_rdunlock(fw_ipc_rwlock *l, fw_task task)
{
    fw_task_ipc_rwlock_rdunlock(l, task);
}

} // namespace fw::detail

#endif
