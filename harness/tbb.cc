/* SPDX-License-Identifier: MIT */
/* tbb::mutex of oneTBB (2021.4 and later): polls, then sleeps. */
#include <new>

#include <oneapi/tbb/mutex.h>

#include "adapter_define.h"

ADAPTER_INIT(tbb, tbb::mutex, (new (l) tbb::mutex, 0))
ADAPTER_DESTROY(tbb, tbb::mutex, l->~mutex())
ADAPTER_CALLS(tbb, tbb::mutex, l->lock(), l->unlock())
ADAPTER_TRYLOCK(tbb, tbb::mutex, l->try_lock() ? 0 : EBUSY)

extern "C" {
extern const struct adapter adapter_tbb;
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
};
