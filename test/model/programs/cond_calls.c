/* SPDX-License-Identifier: MIT */
#include "cond_calls.h"

extern const struct cond_calls CALLS;

const struct cond_calls CALLS = {
    .wait = fw_cond_wait,
    .wait_policy = fw_cond_wait_policy,
    .signal = fw_cond_signal,
    .broadcast = fw_cond_broadcast,
    .lock_policy = fw_mutex_lock_policy,
    .unlock = fw_mutex_unlock,
    .unlock_fair = fw_mutex_unlock_fair,
    .wait_posix = fw_cond_wait_posix_,
    .lock_registered = fw_mutex_lock_registered_,
    .unlock_late = fw_mutex_unlock_and_wake_,
};
