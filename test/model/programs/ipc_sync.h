/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_SYNC_H
#define MODEL_IPC_SYNC_H

#include "ipc_calls.h"
#include "ipc_region.h"
#include "programs.h"

#define IPC_SYNC_BLOCKS (&(const fw_wait_policy){FW_WAIT_BLOCK, 0})

#endif
