/* SPDX-License-Identifier: MIT */
/* furwock/ipc/cond.h, with the mutex that belongs to it. */
#include <furwock/ipc/cond.h>
#include <furwock/ipc/mutex.h>

#include "bench/adapters/cond_adapter_define.h"
#include "measure/deadline.h"

struct pair {
    fw_ipc_mutex mutex;
    fw_ipc_cond cond;
};

ADAPTER_ZERO_IS_FREE(pair)
COND_CALLS(pair, struct pair, (void)!fw_ipc_mutex_lock(&l->mutex), fw_ipc_mutex_unlock(&l->mutex),
           (void)!fw_ipc_cond_wait(&l->cond, &l->mutex), fw_ipc_cond_signal(&l->cond),
           fw_ipc_cond_broadcast(&l->cond))
COND_TIMED(pair, struct pair, fw_ipc_cond_timedwait(&l->cond, &l->mutex, DEADLINE(at)))

const struct cond_adapter cond_adapter_furwock_ipc = {
    .name = "furwock-ipc",
    .about = "fw_ipc_cond on fw_ipc_mutex: between processes, whoever dies",
    .family = FAMILY_FURWOCK,
    .flags = ADAPTER_SHARED | ADAPTER_REGION | ADAPTER_BLOCKS | ADAPTER_SPINS | ADAPTER_ZERO |
             ADAPTER_CANCEL | ADAPTER_EXACT,
    ADAPTER_OBJECT(struct pair, pair_init_),
    COND_PLACE(struct pair, cond),
    COND_MEMBERS(pair),
};
