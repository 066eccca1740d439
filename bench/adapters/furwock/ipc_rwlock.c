/* SPDX-License-Identifier: MIT */
/* furwock/ipc/rwlock.h: between processes, in a region. */
#include <furwock/ipc/rwlock.h>

#include "bench/adapters/rw_adapter_define.h"
#include "measure/deadline.h"

ADAPTER_INIT(ipc_rw, fw_ipc_rwlock, fw_ipc_rwlock_init(l))
RW_CALLS(ipc_rw, fw_ipc_rwlock, (void)!fw_ipc_rwlock_rdlock(l), (void)fw_ipc_rwlock_rdunlock(l),
         (void)!fw_ipc_rwlock_wrlock(l), (void)fw_ipc_rwlock_wrunlock(l))
RW_TRIES(ipc_rw, fw_ipc_rwlock, fw_ipc_rwlock_tryrdlock(l), fw_ipc_rwlock_trywrlock(l))
RW_TIMED(ipc_rw, fw_ipc_rwlock, fw_ipc_rwlock_timedrdlock(l, DEADLINE(at)),
         fw_ipc_rwlock_timedwrlock(l, DEADLINE(at)))

const struct rw_adapter rw_adapter_furwock_ipc = {
    .name = "furwock-ipc",
    .about = "fw_ipc_rwlock: between processes, survives readers and writers",
    .family = FAMILY_FURWOCK,
    .flags = ADAPTER_SHARED | ADAPTER_REGION | ADAPTER_BLOCKS | ADAPTER_SPINS | ADAPTER_ZERO,
    ADAPTER_OBJECT(fw_ipc_rwlock, ipc_rw_init_),
    .preference = RW_PREFER_FAIR,
    RW_MEMBERS(ipc_rw),
    RW_TRY_MEMBERS(ipc_rw),
    RW_TIMED_MEMBERS(ipc_rw),
};
