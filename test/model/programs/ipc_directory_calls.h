/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_DIRECTORY_CALLS_H
#define MODEL_IPC_DIRECTORY_CALLS_H

#include <furwock/ipc/region.h>

#include "ipc_calls.h"

/* The directory of a region, under the region's lock, which is the shipped one. */
#define IPC_DIRECTORY_CALLS(CALL, DATA)                     \
    DATA(struct ipc_region_calls, region, IPC_REGION_CALLS) \
    CALL(object, fw_region_object_init)
CALLS_TYPE(ipc_directory, IPC_DIRECTORY_CALLS);

#define ipc_directory_in_use \
    ((const struct ipc_directory_calls *)calls_in_use[FAMILY_IPC_DIRECTORY])

#endif
