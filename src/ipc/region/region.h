/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_REGION_H
#define FW_IPC_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/ipc/region.h>

#include "ipc/region/join.h"
#include "ipc/region/mapping.h"

/* What a handle refers to. */
struct fw_region {
    uint32_t uses;
    bool is_adopted;
    bool is_dormant;        /* closed, and still mapped */
    bool is_stuck;          /* mapped for good */
    uint64_t device, inode; /* of the file */
    uint32_t owner;
    const struct fw_ipc_mapping_ *mapping;
    struct fw_ipc_joined_ joined;
};

/* Is this the handle of an open region?  Any pointer will do. */
bool fw_region_is_open_(const fw_region *region);

#endif
