/* SPDX-License-Identifier: MIT */
#include "atomic_calls.h"

#include "fork.h"
#include "object.h"

extern const struct atomic_calls CALLS;

const struct atomic_calls CALLS = {
    .trylock = fw_word_lock_trylock_,
    .lock = fw_word_lock_lock_,
    .unlock = fw_word_lock_unlock_,
    .load = fw_object_load_,
    .store = fw_object_store_,
    .exchange = fw_object_exchange_,
    .compare_exchange = fw_object_compare_exchange_,
    .child = fw_fork_child_,
};
