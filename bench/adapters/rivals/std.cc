/* SPDX-License-Identifier: MIT */
/* std::shared_mutex of C++17.  (Its timed sibling has other types inside.) */
#include <new>
#include <shared_mutex>

#include "bench/adapters/rw_adapter_define.h"

ADAPTER_INIT(shared, std::shared_mutex, (new (l) std::shared_mutex, 0))
ADAPTER_DESTROY(shared, std::shared_mutex, l->~shared_mutex())
RW_CALLS(shared, std::shared_mutex, l->lock_shared(), l->unlock_shared(), l->lock(), l->unlock())
RW_TRIES(shared, std::shared_mutex, l->try_lock_shared() ? 0 : EBUSY, l->try_lock() ? 0 : EBUSY)

extern "C" {
extern const struct rw_adapter rw_adapter_std_shared_mutex;
}

/* libstdc++ makes it of a pthread_rwlock_t as it comes; the standard promises no preference. */
const struct rw_adapter rw_adapter_std_shared_mutex = {
    .name = "std-shared-mutex",
    .about = "std::shared_mutex of C++17",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_BLOCKS,
    ADAPTER_OBJECT(std::shared_mutex, shared_init_),
    .destroy = shared_destroy_,
    .preference = RW_PREFER_READERS,
    RW_MEMBERS(shared),
    RW_TRY_MEMBERS(shared),
    RW_NOT_TIMED,
};
