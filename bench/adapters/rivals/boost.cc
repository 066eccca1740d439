/* SPDX-License-Identifier: MIT */
/* Boost.Interprocess: its mutex and its sharable mutex. */
#include <cerrno>
#include <new>

#include <boost/interprocess/sync/interprocess_mutex.hpp>
#include <boost/interprocess/sync/interprocess_sharable_mutex.hpp>

#include "bench/adapters/adapter_define.h"
#include "bench/adapters/rw_adapter_define.h"

using mutex = boost::interprocess::interprocess_mutex;
using sharable = boost::interprocess::interprocess_sharable_mutex;

namespace {

/* Their constructors throw where the system has no such thing. */
template <class Lock> int construct(void *memory)
{
    try {
        new (memory) Lock;
        return 0;
    } catch (...) {
        return ENOSYS;
    }
}

ADAPTER_INIT(boost_mutex, mutex, construct<mutex>(l))
ADAPTER_DESTROY(boost_mutex, mutex, l->~mutex())
ADAPTER_CALLS(boost_mutex, mutex, l->lock(), l->unlock())
ADAPTER_TRYLOCK(boost_mutex, mutex, l->try_lock() ? 0 : EBUSY)

ADAPTER_INIT(boost_sharable, sharable, construct<sharable>(l))
ADAPTER_DESTROY(boost_sharable, sharable, l->~sharable())
RW_CALLS(boost_sharable, sharable, l->lock_sharable(), l->unlock_sharable(), l->lock(), l->unlock())
RW_TRIES(boost_sharable, sharable, l->try_lock_sharable() ? 0 : EBUSY, l->try_lock() ? 0 : EBUSY)

} /* namespace */

extern "C" {
extern const struct adapter adapter_boost;
extern const struct rw_adapter rw_adapter_boost_sharable;
}

const struct adapter adapter_boost = {
    .name = "boost",
    .about = "boost::interprocess::interprocess_mutex",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_SHARED | ADAPTER_BLOCKS,
    .size = sizeof(mutex),
    .align = alignof(mutex),
    .init = boost_mutex_init_,
    .destroy = boost_mutex_destroy_,
    .lock = boost_mutex_lock_,
    .unlock = boost_mutex_unlock_,
    .trylock = boost_mutex_trylock_,
    .timedlock = nullptr,
    .unlock_fair = nullptr,
    .loop = boost_mutex_loop_,
    .line = nullptr,
};

const struct rw_adapter rw_adapter_boost_sharable = {
    .name = "boost-sharable",
    .about = "boost::interprocess::interprocess_sharable_mutex",
    .family = FAMILY_RIVAL,
    .flags = ADAPTER_SHARED | ADAPTER_BLOCKS,
    ADAPTER_OBJECT(sharable, boost_sharable_init_),
    .destroy = boost_sharable_destroy_,
    .preference = RW_PREFER_NONE,
    RW_MEMBERS(boost_sharable),
    RW_TRY_MEMBERS(boost_sharable),
    RW_NOT_TIMED,
};
