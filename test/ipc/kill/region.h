/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_IPC_KILL_REGION_H
#define FW_TEST_IPC_KILL_REGION_H

#include <stddef.h>

#include "kill_at_step.h"

/* The region that all processes of a run share, and an object in it. */
struct fw_region *region_of_all(void);
void *object_new(size_t size);

#endif
