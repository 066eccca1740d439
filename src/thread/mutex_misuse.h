/* SPDX-License-Identifier: MIT */
#ifndef FW_MUTEX_MISUSE_H
#define FW_MUTEX_MISUSE_H

#include "sys/panic.h"
#include "thread/mutex_word.h"

/* Errors in the program, which stop it: furwock/mutex.h. */

__attribute__((cold)) static inline void refuse_owner(const fw_mutex *m, uint32_t id)
{
    uint32_t owner = owner_half(fw_load64_relaxed(&m->state_));

    if (owner == id)
        fw_panic_("mutex locked again by its owner", m, owner, owner);
}

__attribute__((cold)) static inline void refuse_stranger(const fw_mutex *m, uint32_t id)
{
    fw_mutex_word_ seen = fw_load64_relaxed(&m->state_);

    if (owner_half(seen) != id)
        fw_panic_("mutex unlocked by a thread that does not own it", m, id,
                  is_being_handed_off(seen) || owner_half(seen) == FW_ID_HELD ? 0
                                                                              : owner_half(seen));
}

#endif
