/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_JOIN_CALLS_H
#define MODEL_IPC_JOIN_CALLS_H

#include "calls.h"
#include "ipc/region/join.h"

/* To make a region or to join it; the head is the shipped one. */
#define IPC_JOIN_CALLS(CALL, DATA) \
    CALL(file, fw_ipc_join_file_)  \
    CALL(memory, fw_ipc_join_memory_)
CALLS_TYPE(ipc_join, IPC_JOIN_CALLS);

#define ipc_join_in_use ((const struct ipc_join_calls *)calls_in_use[FAMILY_IPC_JOIN])

#endif
