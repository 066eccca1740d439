/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_ANNOTATED_IPC_UNITS_H
#define FURWOCK_BITS_ANNOTATED_IPC_UNITS_H

#include <furwock/ipc/units.h>

#ifdef FW_ANNOTATED_

/* The calls of furwock/ipc/units.h for race detectors; internal: bits/annotate.h. */

FW_NOTED_ACQUIRE_INT_(fw_ipc_units_wait, (fw_ipc_units * l), (l))
FW_NOTED_ACQUIRE_INT_(fw_ipc_units_trywait, (fw_ipc_units * l), (l))
FW_NOTED_ACQUIRE_INT_(fw_ipc_units_timedwait, (fw_ipc_units * l, const fw_deadline *deadline),
                      (l, deadline))
FW_NOTED_ACQUIRE_INT_(fw_ipc_units_wait_policy,
                      (fw_ipc_units * l, const fw_wait_policy *policy, const fw_deadline *deadline),
                      (l, policy, deadline))
FW_NOTED_ACQUIRE_INT_(fw_ipc_units_take,
                      (fw_ipc_units * l, uint32_t *unit, const fw_wait_policy *policy,
                       const fw_deadline *deadline),
                      (l, unit, policy, deadline))
FW_NOTED_RELEASE_INT_(fw_ipc_units_post, (fw_ipc_units * l), (l))
FW_NOTED_RELEASE_INT_(fw_ipc_units_give, (fw_ipc_units * l, uint32_t unit), (l, unit))

#define fw_ipc_units_wait fw_ipc_units_wait_noted_
#define fw_ipc_units_trywait fw_ipc_units_trywait_noted_
#define fw_ipc_units_timedwait fw_ipc_units_timedwait_noted_
#define fw_ipc_units_wait_policy fw_ipc_units_wait_policy_noted_
#define fw_ipc_units_take fw_ipc_units_take_noted_
#define fw_ipc_units_post fw_ipc_units_post_noted_
#define fw_ipc_units_give fw_ipc_units_give_noted_

#endif

#endif
