/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_HEAD_CALLS_H
#define MODEL_IPC_HEAD_CALLS_H

#include "calls.h"
#include "ipc/region/head.h"

/* The head of a region. */
struct ipc_head_calls {
    int (*plan)(uint64_t size, uint32_t flags, struct fw_ipc_plan_ *plan);
    int (*check)(const struct fw_ipc_head_ *head, uint64_t mapped, struct fw_ipc_plan_ *plan);
    int (*make)(struct fw_ipc_head_ *head, const struct fw_ipc_plan_ *plan);
    void (*complete)(struct fw_ipc_head_ *head);
};

#define ipc_head_in_use ((const struct ipc_head_calls *)calls_in_use[FAMILY_IPC_HEAD])

#endif
