/* SPDX-License-Identifier: MIT */
#ifndef MODEL_MUTEX_CALLS_H
#define MODEL_MUTEX_CALLS_H

#include <furwock/mutex.h>

#include "calls.h"
#include "thread/mutex_posix.h"

#define MUTEX_CALLS(CALL, DATA)                \
    CALL(trylock, fw_mutex_trylock)            \
    CALL(lock, fw_mutex_lock)                  \
    CALL(timedlock, fw_mutex_timedlock)        \
    CALL(lock_policy, fw_mutex_lock_policy)    \
    CALL(unlock, fw_mutex_unlock)              \
    CALL(unlock_fair, fw_mutex_unlock_fair)    \
    CALL(lock_posix, fw_mutex_lock_posix_)     \
    CALL(unlock_posix, fw_mutex_unlock_posix_) \
    CALL(owner, fw_mutex_owner)
CALLS_TYPE(mutex, MUTEX_CALLS);

#define mutex_in_use ((const struct mutex_calls *)calls_in_use[FAMILY_MUTEX])

#endif
