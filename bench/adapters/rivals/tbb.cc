/* SPDX-License-Identifier: MIT */
/* tbb::mutex and tbb::rw_mutex of oneTBB (2021.4 and later): poll, then sleep. */
#include <new>

#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/rw_mutex.h>

#include "bench/adapters/rw_adapter_define.h"

ADAPTER_INIT(tbb, tbb::mutex, (new (l) tbb::mutex, 0))
ADAPTER_DESTROY(tbb, tbb::mutex, l->~mutex())
ADAPTER_CALLS(tbb, tbb::mutex, l->lock(), l->unlock())
ADAPTER_TRYLOCK(tbb, tbb::mutex, l->try_lock() ? 0 : EBUSY)

ADAPTER_INIT(tbb_rw, tbb::rw_mutex, (new (l) tbb::rw_mutex, 0))
ADAPTER_DESTROY(tbb_rw, tbb::rw_mutex, l->~rw_mutex())
RW_CALLS(tbb_rw, tbb::rw_mutex, l->lock_shared(), l->unlock_shared(), l->lock(), l->unlock())
RW_TRIES(tbb_rw, tbb::rw_mutex, l->try_lock_shared() ? 0 : EBUSY, l->try_lock() ? 0 : EBUSY)

extern "C" {
extern const struct adapter adapter_tbb;
extern const struct rw_adapter rw_adapter_tbb;
}

const struct adapter adapter_tbb = {
    .name = "tbb",
    .about = "tbb::mutex of oneTBB",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_BLOCKS | ADAPTER_SPINS,
    .size = sizeof(tbb::mutex),
    .align = alignof(tbb::mutex),
    .init = tbb_init_,
    .destroy = tbb_destroy_,
    .lock = tbb_lock_,
    .unlock = tbb_unlock_,
    .trylock = tbb_trylock_,
    .timedlock = nullptr,
    .unlock_fair = nullptr,
    .loop = tbb_loop_,
    .line = nullptr,
};

const struct rw_adapter rw_adapter_tbb = {
    .name = "tbb",
    .about = "tbb::rw_mutex of oneTBB",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_BLOCKS | ADAPTER_SPINS | ADAPTER_FORGETS,
    ADAPTER_OBJECT(tbb::rw_mutex, tbb_rw_init_),
    .destroy = tbb_rw_destroy_,
    .preference = RW_PREFER_WRITERS,
    RW_MEMBERS(tbb_rw),
    RW_TRY_MEMBERS(tbb_rw),
    RW_NOT_TIMED,
};
