/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_GATES_H
#define MODEL_IPC_GATES_H

#include "ipc_gates_calls.h"
#include "ipc_ground.h"
#include "programs.h"

/* What the programs of units, barrier and once between processes do alike. */
const struct model_own *ipc_gates_own(void);

#define IPC_GATES_BLOCKS (&(const fw_wait_policy){FW_WAIT_BLOCK, 0})

#endif
