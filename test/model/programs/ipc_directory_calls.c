/* SPDX-License-Identifier: MIT */
#include "ipc_directory_calls.h"

extern const struct ipc_directory_calls CALLS;

const struct ipc_directory_calls CALLS = {
    .ground = IPC_GROUND_CALLS,
    .object = fw_region_object_init,
};
