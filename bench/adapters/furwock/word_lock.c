/* SPDX-License-Identifier: MIT */
/* atomic/word_lock.h: the lock behind furwock's generic atomics, by itself. */
#include "atomic/word_lock.h"

#include "bench/adapters/adapter_define.h"

ADAPTER_ZERO_IS_FREE(word)
ADAPTER_CALLS(word, fw_word_lock, fw_word_lock_lock_(l), fw_word_lock_unlock_(l))
ADAPTER_TRYLOCK(word, fw_word_lock, fw_word_lock_trylock_(l))

const struct adapter adapter_furwock_word = {
    .name = "furwock-word",
    .about = "the lock of furwock's generic atomics: lock and count in one word",
    .family = FAMILY_FURWOCK,
    .flags = ADAPTER_BLOCKS | ADAPTER_SPINS | ADAPTER_ZERO,
    ADAPTER_TYPE(word, fw_word_lock),
    .trylock = word_trylock_,
};
