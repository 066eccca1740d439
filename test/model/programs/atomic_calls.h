/* SPDX-License-Identifier: MIT */
#ifndef MODEL_ATOMIC_CALLS_H
#define MODEL_ATOMIC_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "calls.h"
#include "fork.h"
#include "object.h"
#include "word_lock.h"

/* The generic atomics' lock, their objects, and what a fork's child does. */
#define ATOMIC_CALLS(CALL, DATA)                        \
    CALL(trylock, fw_word_lock_trylock_)                \
    CALL(lock, fw_word_lock_lock_)                      \
    CALL(unlock, fw_word_lock_unlock_)                  \
    CALL(load, fw_object_load_)                         \
    CALL(store, fw_object_store_)                       \
    CALL(exchange, fw_object_exchange_)                 \
    CALL(compare_exchange, fw_object_compare_exchange_) \
    CALL(child, fw_fork_child_)
CALLS_OF(atomic, ATOMIC);

#endif
