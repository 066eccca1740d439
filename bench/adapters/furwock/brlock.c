/* SPDX-License-Identifier: MIT */
/* furwock/brlock.h: for data that is almost only read. */
#include <furwock/brlock.h>

#include "bench/adapters/rw_adapter_define.h"
#include "measure/deadline.h"

ADAPTER_INIT(brlock, fw_brlock, fw_brlock_init(l))
ADAPTER_DESTROY(brlock, fw_brlock, fw_brlock_destroy(l))
RW_CALLS(brlock, fw_brlock, fw_brlock_rdlock(l), fw_brlock_rdunlock(l), fw_brlock_wrlock(l),
         fw_brlock_wrunlock(l))
RW_TRIES(brlock, fw_brlock, fw_brlock_tryrdlock(l), fw_brlock_trywrlock(l))
RW_TIMED(brlock, fw_brlock, fw_brlock_timedrdlock(l, DEADLINE(at)),
         fw_brlock_timedwrlock(l, DEADLINE(at)))

const struct rw_adapter rw_adapter_furwock_br = {
    .name = "furwock-br",
    .about = "fw_brlock: readers write no shared cache line, writers pay",
    .family = FAMILY_FURWOCK,
    .flags = ADAPTER_BLOCKS | ADAPTER_SPINS | ADAPTER_OWNER | ADAPTER_FREEABLE,
    ADAPTER_OBJECT(fw_brlock, brlock_init_),
    .destroy = brlock_destroy_,
    .preference = RW_PREFER_FAIR,
    RW_MEMBERS(brlock),
    RW_TRY_MEMBERS(brlock),
    RW_TIMED_MEMBERS(brlock),
};
