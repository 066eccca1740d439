/* SPDX-License-Identifier: MIT */
#include "posix_mutex_calls.h"

#include "mutex_robust.h"
#include "mutex_shared.h"

extern const struct posix_mutex_calls CALLS;

const struct posix_mutex_calls CALLS = {
    .shared = {fw_shared_trylock_, fw_shared_lock_policy_, fw_shared_unlock_},
    .robust = {fw_robust_trylock_, fw_robust_lock_policy_, fw_robust_unlock_},
};
