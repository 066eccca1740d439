/* SPDX-License-Identifier: MIT */
#include "ipc_head_calls.h"

extern const struct ipc_head_calls CALLS;

const struct ipc_head_calls CALLS = {
    .plan = fw_ipc_plan_,
    .check = fw_ipc_head_check_,
    .make = fw_ipc_head_make_,
    .complete = fw_ipc_head_complete_,
};
