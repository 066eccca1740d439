/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_SPIN_H
#define FW_ATOMIC_SPIN_H

#include "sys/clock.h"
#include "word_lock.h"

/*
 * Spins on a lock's word, which is held while any of the bits in `held` is set, for as long as that
 * pays.  Returns the last word read.
 */
static inline uint32_t fw_spin_(const uint32_t *word, uint32_t held)
{
    uint32_t now = fw_load32_relaxed(word);

    for (unsigned look = 0; look < FW_WORD_LOCK_LOOKS_ && (now & held) != 0; look++) {
        for (unsigned pause = 0; pause < FW_WORD_LOCK_PAUSES_; pause++)
            fw_pause_();
        now = fw_load32_relaxed(word);
    }
    return now;
}

#endif
