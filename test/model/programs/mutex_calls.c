/* SPDX-License-Identifier: MIT */
/* In a faulty copy the functions' names are other ones too: faults.py writes a rename.h. */
#include "mutex_calls.h"

extern const struct mutex_calls CALLS;

const struct mutex_calls CALLS = {
    .trylock = fw_mutex_trylock,
    .lock = fw_mutex_lock,
    .timedlock = fw_mutex_timedlock,
    .lock_policy = fw_mutex_lock_policy,
    .unlock = fw_mutex_unlock,
    .unlock_fair = fw_mutex_unlock_fair,
    .lock_posix = fw_mutex_lock_posix_,
    .unlock_posix = fw_mutex_unlock_posix_,
    .owner = fw_mutex_owner,
};
