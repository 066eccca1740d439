/* SPDX-License-Identifier: MIT */
#ifndef MODEL_COND_CALLS_H
#define MODEL_COND_CALLS_H

#include <furwock/cond.h>

#include "calls.h"
#include "thread/cond_posix.h"
#include "thread/mutex_requeue.h"

#define COND_CALLS(CALL, DATA)                       \
    CALL(wait, fw_cond_wait)                         \
    CALL(wait_policy, fw_cond_wait_policy)           \
    CALL(signal, fw_cond_signal)                     \
    CALL(broadcast, fw_cond_broadcast)               \
    CALL(lock_policy, fw_mutex_lock_policy)          \
    CALL(unlock, fw_mutex_unlock)                    \
    CALL(unlock_fair, fw_mutex_unlock_fair)          \
    CALL(wait_posix, fw_cond_wait_posix_)            \
    CALL(lock_registered, fw_mutex_lock_registered_) \
    CALL(unlock_late, fw_mutex_unlock_and_wake_)
CALLS_TYPE(cond, COND_CALLS);

#define cond_in_use ((const struct cond_calls *)calls_in_use[FAMILY_COND])

#endif
