/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_HEAD_CALLS_H
#define MODEL_IPC_HEAD_CALLS_H

#include "calls.h"
#include "ipc/region/head.h"

/* The head of a region. */
#define IPC_HEAD_CALLS(CALL, DATA)  \
    CALL(plan, fw_ipc_plan_)        \
    CALL(check, fw_ipc_head_check_) \
    CALL(make, fw_ipc_head_make_)   \
    CALL(complete, fw_ipc_head_complete_)
CALLS_TYPE(ipc_head, IPC_HEAD_CALLS);

#define ipc_head_in_use ((const struct ipc_head_calls *)calls_in_use[FAMILY_IPC_HEAD])

#endif
