/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_SYNC_H
#define MODEL_IPC_SYNC_H

#include "ipc_region.h"
#include "ipc_sync_calls.h"
#include "programs.h"

/* What the programs of units, barrier and once between processes do alike. */
const struct model_own *ipc_sync_own(void);

#define IPC_SYNC_BLOCKS (&(const fw_wait_policy){FW_WAIT_BLOCK, 0})

#endif
