/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_JOIN_H
#define FW_IPC_JOIN_H

#include <stddef.h>

#include "ipc/region/head.h"

/* A region that has been found or made, and checked. */
struct fw_ipc_joined_ {
    void *base;
    struct fw_ipc_plan_ plan; /* the process's own copy: nothing that others write changes it */
};

/*
 * Makes or joins the region in a file, and maps plan.size bytes of it, or in memory that is mapped.
 * Flags and errors are those of furwock/ipc/region.h, except for EMFILE and EBUSY.
 */
int fw_ipc_join_file_(int fd, size_t size, unsigned flags, struct fw_ipc_joined_ *joined);
int fw_ipc_join_memory_(void *memory, size_t size, unsigned flags, struct fw_ipc_joined_ *joined);

#endif
