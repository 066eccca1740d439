/* SPDX-License-Identifier: MIT */
/* furwock/barrier.h. */
#include <furwock/barrier.h>

#include "bench/adapters/sync_adapter_define.h"

BARRIER_INIT(barrier, fw_barrier, fw_barrier_init(l, parties))
ADAPTER_DESTROY(barrier, fw_barrier, fw_barrier_destroy(l))
BARRIER_CALLS(barrier, fw_barrier, fw_barrier_wait(l) == FW_BARRIER_SERIAL)

const struct barrier_adapter barrier_adapter_furwock = {
    .name = "furwock",
    .about = "fw_barrier",
    .family = FAMILY_FURWOCK,
    .flags = ADAPTER_BLOCKS | ADAPTER_SPINS | ADAPTER_FREEABLE,
    ADAPTER_OBJECT(fw_barrier, barrier_init_),
    .destroy = barrier_destroy_,
    BARRIER_MEMBERS(barrier),
};
