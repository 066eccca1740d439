/* SPDX-License-Identifier: MIT */
#ifndef FW_LATCH_WORD_H
#define FW_LATCH_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/latch.h>

/*
 * The bits of fw_latch, and what they say.  The table of states is in latch.c.
 *
 *   bit   31         30           29 ................. 0
 *         SLEEPERS   OPERATIONS   count that is left
 */
#define LATCH_SLEEPERS 0x80000000u
#define LATCH_OPERATIONS 0x40000000u
#define LATCH_COUNT FW_LATCH_MAX

_Static_assert((LATCH_SLEEPERS ^ LATCH_OPERATIONS ^ LATCH_COUNT) == 0xffffffffu,
               "all bits, and none twice");

static inline uint32_t latch_left(uint32_t w)
{
    return w & LATCH_COUNT;
}

static inline bool latch_is_open(uint32_t w)
{
    return latch_left(w) == 0;
}

static inline bool latch_has_sleepers(uint32_t w)
{
    return (w & LATCH_SLEEPERS) != 0;
}

static inline bool latch_has_operations(uint32_t w)
{
    return (w & LATCH_OPERATIONS) != 0;
}

#endif
