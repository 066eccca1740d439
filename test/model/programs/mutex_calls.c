/* SPDX-License-Identifier: MIT */
/*
 * The table of one build of the mutex.  MUTEX_CALLS is its name; in a faulty copy the functions'
 * names are other ones too (subject/rename.h).
 */
#include "programs.h"

extern const struct mutex_calls MUTEX_CALLS;

const struct mutex_calls MUTEX_CALLS = {
    .trylock = fw_mutex_trylock,
    .lock = fw_mutex_lock,
    .timedlock = fw_mutex_timedlock,
    .lock_policy = fw_mutex_lock_policy,
    .unlock = fw_mutex_unlock,
    .unlock_fair = fw_mutex_unlock_fair,
    .owner = fw_mutex_owner,
};
