/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_IPC_PERMITS_H
#define FURWOCK_BITS_ANNOTATED_IPC_PERMITS_H

#include <furwock/ipc/permits.h>

#ifdef FW_ANNOTATED_

/* The calls of furwock/ipc/permits.h for race detectors; internal: bits/annotate.h. */

FW_NOTED_ACQUIRE_INT_(fw_ipc_permits_wait, (fw_ipc_permits * l), (l))
FW_NOTED_ACQUIRE_INT_(fw_ipc_permits_trywait, (fw_ipc_permits * l), (l))
FW_NOTED_ACQUIRE_INT_(fw_ipc_permits_timedwait, (fw_ipc_permits * l, const fw_deadline *deadline),
                      (l, deadline))
FW_NOTED_ACQUIRE_INT_(fw_ipc_permits_wait_policy,
                      (fw_ipc_permits * l, const fw_wait_policy *policy,
                       const fw_deadline *deadline),
                      (l, policy, deadline))
FW_NOTED_ACQUIRE_INT_(fw_ipc_permits_take,
                      (fw_ipc_permits * l, uint32_t *permit, const fw_wait_policy *policy,
                       const fw_deadline *deadline),
                      (l, permit, policy, deadline))
FW_NOTED_RELEASE_INT_(fw_ipc_permits_post, (fw_ipc_permits * l), (l))
FW_NOTED_RELEASE_INT_(fw_ipc_permits_give, (fw_ipc_permits * l, uint32_t permit), (l, permit))

#define fw_ipc_permits_wait fw_ipc_permits_wait_noted_
#define fw_ipc_permits_trywait fw_ipc_permits_trywait_noted_
#define fw_ipc_permits_timedwait fw_ipc_permits_timedwait_noted_
#define fw_ipc_permits_wait_policy fw_ipc_permits_wait_policy_noted_
#define fw_ipc_permits_take fw_ipc_permits_take_noted_
#define fw_ipc_permits_post fw_ipc_permits_post_noted_
#define fw_ipc_permits_give fw_ipc_permits_give_noted_

#endif

#endif
