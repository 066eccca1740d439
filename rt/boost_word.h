/* SPDX-License-Identifier: MIT */
#ifndef FW_RT_BOOST_WORD_H
#define FW_RT_BOOST_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/state.h"

/*
 * The word of a lock under MPCP or FMLP+ (`counter` in its record), in tier A.  The table of states
 * is in boost.c.
 *
 *   bit    31        30     29 ... 8   7 ......... 0
 *          WAITERS   DIED   0          owner's slot + 1; REAPING: see there; 0: nobody
 */
#define FW_RT_WORD_OWNER UINT32_C(0xff)
#define FW_RT_WORD_REAPING UINT32_C(0xfe)
#define FW_RT_WORD_DIED (UINT32_C(1) << 30)
#define FW_RT_WORD_WAITERS (UINT32_C(1) << 31)

_Static_assert(FW_RT_TASKS < FW_RT_WORD_REAPING, "every slot has a number");

static inline uint32_t fw_rt_word_of(uint32_t slot)
{
    return slot + 1;
}

/* The owner's slot; FW_RT_NONE: none, or reaping. */
static inline uint32_t fw_rt_word_owner(uint32_t word)
{
    uint32_t n = word & FW_RT_WORD_OWNER;

    return n == 0 || n > FW_RT_TASKS ? FW_RT_NONE : n - 1;
}

static inline bool fw_rt_word_is_free(uint32_t word)
{
    return (word & FW_RT_WORD_OWNER) == 0;
}

static inline bool fw_rt_word_is_being_reaped(uint32_t word)
{
    return (word & FW_RT_WORD_OWNER) == FW_RT_WORD_REAPING;
}

static inline bool fw_rt_word_has_waiters(uint32_t word)
{
    return (word & FW_RT_WORD_WAITERS) != 0;
}

/* The owner, or where there is none the next, has yet to be told that one before has died. */
static inline bool fw_rt_word_has_died(uint32_t word)
{
    return (word & FW_RT_WORD_DIED) != 0;
}

#endif
