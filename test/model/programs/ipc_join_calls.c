/* SPDX-License-Identifier: MIT */
#include "ipc_join_calls.h"

extern const struct ipc_join_calls CALLS;

const struct ipc_join_calls CALLS = {
    .file = fw_ipc_join_file_,
    .memory = fw_ipc_join_memory_,
};
