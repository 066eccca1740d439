/* SPDX-License-Identifier: MIT */
#ifndef FW_BARRIER_WORD_H
#define FW_BARRIER_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/barrier.h>
#include <furwock/bits/atomic.h>

/*
 * The bits of fw_barrier, and what they say.  The table of states is in barrier.c.
 *
 *   bit   63 .... 47   46     45        44    43 ..... 22   21 ...... 0
 *         round        SLEPT  SLEEPERS  GOES  inside        awaited
 *         `--------- futex of those who ---'  (12 bits)
 *                    wait for the round       (10 bits) `---- futex of destroy
 *
 *   awaited   how many have still to arrive in this round
 *   inside    how many threads have arrived to stay, or came with a token, and have not left
 *   GOES      somebody is in fw_barrier_destroy
 *   SLEEPERS  somebody may sleep until this round ends
 *   SLEPT     somebody slept in the last round
 */
typedef uint64_t fw_barrier_word_;

#define BARRIER_AWAITED ((fw_barrier_word_)FW_BARRIER_MAX)
#define BARRIER_INSIDE_SHIFT 22
#define BARRIER_INSIDE_ONE (UINT64_C(1) << BARRIER_INSIDE_SHIFT)
#define BARRIER_INSIDE ((fw_barrier_word_)FW_BARRIER_MAX << BARRIER_INSIDE_SHIFT)
#define BARRIER_GOES (UINT64_C(1) << 44)
#define BARRIER_SLEEPERS (UINT64_C(1) << 45)
#define BARRIER_SLEPT (UINT64_C(1) << 46)
#define BARRIER_ROUND_SHIFT 47

/* Linux hands out thread ids below 2^22, so there are never more threads inside than that. */
_Static_assert(FW_BARRIER_MAX == (1u << 22) - 1, "room for every thread");
_Static_assert(BARRIER_INSIDE_SHIFT == 22 && BARRIER_GOES == (BARRIER_INSIDE_ONE << 22),
               "the fields touch and do not overlap");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lower half comes first");

static inline uint32_t barrier_awaited(fw_barrier_word_ w)
{
    return (uint32_t)(w & BARRIER_AWAITED);
}

static inline uint32_t barrier_inside(fw_barrier_word_ w)
{
    return (uint32_t)((w & BARRIER_INSIDE) >> BARRIER_INSIDE_SHIFT);
}

static inline uint32_t barrier_round(fw_barrier_word_ w)
{
    return (uint32_t)(w >> BARRIER_ROUND_SHIFT);
}

static inline bool barrier_has_sleepers(fw_barrier_word_ w)
{
    return (w & BARRIER_SLEEPERS) != 0;
}

static inline bool barrier_slept(fw_barrier_word_ w)
{
    return (w & BARRIER_SLEPT) != 0;
}

static inline bool barrier_goes(fw_barrier_word_ w)
{
    return (w & BARRIER_GOES) != 0;
}

static inline uint32_t barrier_upper_half(fw_barrier_word_ w)
{
    return (uint32_t)(w >> 32);
}

static inline uint32_t barrier_lower_half(fw_barrier_word_ w)
{
    return (uint32_t)w;
}

/* The next round, for which `parties` are awaited; threads inside stay there. */
static inline fw_barrier_word_ barrier_next_round(fw_barrier_word_ w, uint32_t parties)
{
    fw_barrier_word_ kept = w & (BARRIER_INSIDE | BARRIER_GOES); /* F:barrier-loses-inside */
    fw_barrier_word_ round = (w >> BARRIER_ROUND_SHIFT) + 1;

    return round << BARRIER_ROUND_SHIFT | (barrier_has_sleepers(w) ? BARRIER_SLEPT : 0) | kept |
           parties;
}

#endif
