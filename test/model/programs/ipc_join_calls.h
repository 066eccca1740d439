/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_JOIN_CALLS_H
#define MODEL_IPC_JOIN_CALLS_H

#include "calls.h"
#include "ipc/region/join.h"

/* To make a region or to join it; the head is the shipped one. */
struct ipc_join_calls {
    int (*file)(int fd, size_t size, unsigned flags, struct fw_ipc_joined_ *joined);
    int (*memory)(void *memory, size_t size, unsigned flags, struct fw_ipc_joined_ *joined);
};

#define ipc_join_in_use ((const struct ipc_join_calls *)calls_in_use[FAMILY_IPC_JOIN])

#endif
