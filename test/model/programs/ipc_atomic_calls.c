/* SPDX-License-Identifier: MIT */
#include "ipc_atomic_calls.h"

#include <furwock/ipc/atomic.h>

#include "../subject/ipc_object.h"
#include "object.h"

extern const struct ipc_atomic_calls CALLS;

static enum fw_robust_how_ call_lock(uint32_t *word, struct fw_robust_ *r, unsigned naps)
{
    return fw_robust_lock_(word, r, naps);
}

static void call_unlock(uint32_t *word, const struct fw_robust_ *r)
{
    fw_robust_unlock_(word, r);
}

const struct ipc_atomic_calls CALLS = {
    .objects = {.load = fw_object_load_,
                .store = fw_object_store_,
                .exchange = fw_object_exchange_,
                .compare_exchange = fw_object_compare_exchange_},
    .lock = call_lock,
    .unlock = call_unlock,
    .create = fw_ipc_atomic_create,
    .join = fw_ipc_atomic_join,
    .leave = fw_ipc_atomic_leave,
};
