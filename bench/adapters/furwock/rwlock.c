/* SPDX-License-Identifier: MIT */
/* furwock/rwlock.h, in its four kinds. */
#include <furwock/rwlock.h>

#include "bench/adapters/rw_adapter_define.h"
#include "measure/deadline.h"

RW_CALLS(rwlock, fw_rwlock, fw_rwlock_rdlock(l), fw_rwlock_rdunlock(l), fw_rwlock_wrlock(l),
         fw_rwlock_wrunlock(l))
RW_TRIES(rwlock, fw_rwlock, fw_rwlock_tryrdlock(l), fw_rwlock_trywrlock(l))
RW_TIMED(rwlock, fw_rwlock, fw_rwlock_timedrdlock(l, DEADLINE(at)),
         fw_rwlock_timedwrlock(l, DEADLINE(at)))

ADAPTER_ZERO_IS_FREE(fair)
ADAPTER_INIT(readers, fw_rwlock, fw_rwlock_init(l, FW_RWLOCK_PREFER_READERS))
ADAPTER_INIT(writers, fw_rwlock, fw_rwlock_init(l, FW_RWLOCK_PREFER_WRITERS))
ADAPTER_INIT(greedy, fw_rwlock, fw_rwlock_init(l, FW_RWLOCK_GREEDY))

#define RWLOCK_FLAGS (ADAPTER_BLOCKS | ADAPTER_SPINS | ADAPTER_OWNER | ADAPTER_FREEABLE)
#define RWLOCK_KIND(init_)                                                          \
    .family = FAMILY_FURWOCK, ADAPTER_OBJECT(fw_rwlock, init_), RW_MEMBERS(rwlock), \
    RW_TRY_MEMBERS(rwlock), RW_TIMED_MEMBERS(rwlock)

const struct rw_adapter rw_adapter_furwock = {
    .name = "furwock-rw",
    .about = "fw_rwlock, phase-fair, as it comes",
    .flags = RWLOCK_FLAGS | ADAPTER_ZERO,
    .preference = RW_PREFER_FAIR,
    RWLOCK_KIND(fair_init_),
};

const struct rw_adapter rw_adapter_furwock_readers = {
    .name = "furwock-rw-readers",
    .about = "fw_rwlock that prefers readers",
    .flags = RWLOCK_FLAGS,
    .preference = RW_PREFER_READERS,
    RWLOCK_KIND(readers_init_),
};

const struct rw_adapter rw_adapter_furwock_writers = {
    .name = "furwock-rw-writers",
    .about = "fw_rwlock that prefers writers",
    .flags = RWLOCK_FLAGS,
    .preference = RW_PREFER_WRITERS,
    RWLOCK_KIND(writers_init_),
};

const struct rw_adapter rw_adapter_furwock_greedy = {
    .name = "furwock-rw-greedy",
    .about = "fw_rwlock that lets running threads pass sleeping writers",
    .flags = RWLOCK_FLAGS,
    .preference = RW_PREFER_FAIR,
    RWLOCK_KIND(greedy_init_),
};
