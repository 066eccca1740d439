/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IPC_DIRECTORY_CALLS_H
#define MODEL_IPC_DIRECTORY_CALLS_H

#include <furwock/ipc/region.h>

#include "ipc_calls.h"

/* The directory of a region, under the region's lock, which is the shipped one. */
struct ipc_directory_calls {
    struct ipc_ground_calls ground;
    int (*object)(fw_region *region, const char *name, fw_region_kind kind, size_t size,
                  unsigned flags, int (*init)(void *object, void *arg), void *arg, void **object);
};

#define ipc_directory_in_use \
    ((const struct ipc_directory_calls *)calls_in_use[FAMILY_IPC_DIRECTORY])

#endif
