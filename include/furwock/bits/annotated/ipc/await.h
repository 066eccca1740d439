/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_IPC_AWAIT_H
#define FURWOCK_BITS_ANNOTATED_IPC_AWAIT_H

#include <furwock/ipc/await.h>

#ifdef FW_ANNOTATED_

/* The calls of furwock/ipc/await.h for race detectors; internal: bits/annotated/await.h. */

FW_NOTED_AWAIT_(fw_await_ipc_mutex, fw_ipc_mutex, FW_AWAIT_WRITES_, FW_AWAIT_WRITES_)
FW_NOTED_AWAIT_(fw_await_ipc_rdlock, fw_ipc_rwlock, FW_AWAIT_READS_, FW_AWAIT_NOTHING_)
FW_NOTED_AWAIT_(fw_await_ipc_wrlock, fw_ipc_rwlock, FW_AWAIT_WRITES_, FW_AWAIT_WRITES_)
FW_NOTED_AWAIT_(fw_await_ipc_sem, fw_ipc_sem, FW_AWAIT_UNIT_, FW_AWAIT_NOTHING_)
FW_NOTED_AWAIT_(fw_await_ipc_permits, fw_ipc_permits, FW_AWAIT_UNIT_, FW_AWAIT_UNIT_)
FW_NOTED_AWAIT_COND_(fw_await_ipc_cond, fw_ipc_cond, fw_ipc_mutex)

FW_NOTED_TASK_UNLOCK_INT_(fw_task_ipc_mutex_unlock, fw_ipc_mutex, FW_NOTE_WRITE_)
FW_NOTED_TASK_UNLOCK_INT_(fw_task_ipc_rwlock_rdunlock, fw_ipc_rwlock, FW_NOTE_READ_)
FW_NOTED_TASK_UNLOCK_INT_(fw_task_ipc_rwlock_wrunlock, fw_ipc_rwlock, FW_NOTE_WRITE_)

static inline int fw_task_ipc_permits_give_noted_(fw_ipc_permits *l, uint32_t permit, fw_task task)
{
    FW_NOTE_RELEASE_(l);
    return fw_task_ipc_permits_give(l, permit, task);
}

FW_NOTED_RELEASE_INT_(fw_task_ipc_permits_post, (fw_ipc_permits * l, fw_task task), (l, task))

#define fw_await_ipc_mutex fw_await_ipc_mutex_noted_
#define fw_await_ipc_rdlock fw_await_ipc_rdlock_noted_
#define fw_await_ipc_wrlock fw_await_ipc_wrlock_noted_
#define fw_await_ipc_sem fw_await_ipc_sem_noted_
#define fw_await_ipc_permits fw_await_ipc_permits_noted_
#define fw_await_ipc_cond fw_await_ipc_cond_noted_
#define fw_task_ipc_mutex_unlock fw_task_ipc_mutex_unlock_noted_
#define fw_task_ipc_rwlock_rdunlock fw_task_ipc_rwlock_rdunlock_noted_
#define fw_task_ipc_rwlock_wrunlock fw_task_ipc_rwlock_wrunlock_noted_
#define fw_task_ipc_permits_give fw_task_ipc_permits_give_noted_
#define fw_task_ipc_permits_post fw_task_ipc_permits_post_noted_

#endif

#endif
