/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_IPC_REGION_STALE_H
#define FW_TEST_IPC_REGION_STALE_H

#include <stddef.h>

#include <furwock/ipc/region.h>

#include "ipc/region/layout.h"
#include "processes.h"
#include "sys/origin.h"

/* Makes a region of that name that seems to be from before the last start of the machine. */
static inline void make_stale(const char *name, size_t size)
{
    struct fw_ipc_head_ *head;
    fw_region *r;

    CHECK(fw_region_open(name, size, FW_REGION_CREATE | FW_REGION_EXCLUSIVE, &r) == 0);
    head = fw_region_base(r);
    head->boot ^= 2;
    head->check = fw_hash_(FW_HASH_START_, head, offsetof(struct fw_ipc_head_, check));
    CHECK(fw_region_close(r) == 0);
}

#endif
