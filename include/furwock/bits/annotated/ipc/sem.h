/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_IPC_SEM_H
#define FURWOCK_BITS_ANNOTATED_IPC_SEM_H

#include <furwock/ipc/sem.h>

#ifdef FW_ANNOTATED_

/* The calls of furwock/ipc/sem.h for race detectors; internal: bits/annotate.h. */

FW_NOTED_ACQUIRE_INT_(fw_ipc_sem_wait, (fw_ipc_sem * l), (l))
FW_NOTED_ACQUIRE_INT_(fw_ipc_sem_trywait, (fw_ipc_sem * l), (l))
FW_NOTED_ACQUIRE_INT_(fw_ipc_sem_timedwait, (fw_ipc_sem * l, const fw_deadline *deadline),
                      (l, deadline))
FW_NOTED_ACQUIRE_INT_(fw_ipc_sem_wait_policy,
                      (fw_ipc_sem * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                      (l, policy, deadline))
FW_NOTED_RELEASE_INT_(fw_ipc_sem_post, (fw_ipc_sem * l), (l))
FW_NOTED_RELEASE_INT_(fw_ipc_sem_post_n, (fw_ipc_sem * l, uint32_t n), (l, n))

#define fw_ipc_sem_wait fw_ipc_sem_wait_noted_
#define fw_ipc_sem_trywait fw_ipc_sem_trywait_noted_
#define fw_ipc_sem_timedwait fw_ipc_sem_timedwait_noted_
#define fw_ipc_sem_wait_policy fw_ipc_sem_wait_policy_noted_
#define fw_ipc_sem_post fw_ipc_sem_post_noted_
#define fw_ipc_sem_post_n fw_ipc_sem_post_n_noted_

#endif

#endif
