/* SPDX-License-Identifier: MIT */
/* furwock/ipc/mutex.h: between processes, in a region. */
#include <furwock/ipc/mutex.h>

#include "bench/adapters/adapter_define.h"
#include "measure/deadline.h"

ADAPTER_INIT(ipc, fw_ipc_mutex, fw_ipc_mutex_init(l))
ADAPTER_CALLS(ipc, fw_ipc_mutex, (void)!fw_ipc_mutex_lock(l), (void)fw_ipc_mutex_unlock(l))
ADAPTER_TRYLOCK(ipc, fw_ipc_mutex, fw_ipc_mutex_trylock(l))
ADAPTER_TIMEDLOCK(ipc, fw_ipc_mutex, fw_ipc_mutex_timedlock(l, DEADLINE(at)))

const struct adapter adapter_furwock_ipc = {
    .name = "furwock-ipc",
    .about = "fw_ipc_mutex: between processes, survives its holder",
    .family = FAMILY_FURWOCK,
    .flags = ADAPTER_SHARED | ADAPTER_REGION | ADAPTER_BLOCKS | ADAPTER_SPINS | ADAPTER_ZERO,
    ADAPTER_TYPE(ipc, fw_ipc_mutex),
    .trylock = ipc_trylock_,
    .timedlock = ipc_timedlock_,
};
