/* SPDX-License-Identifier: MIT */
#ifndef FW_IPC_BARRIER_WORD_H
#define FW_IPC_BARRIER_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/ipc/barrier.h>

#include "ipc/region/layout.h"

/*
 * The words of fw_ipc_barrier.  The tables of states are in barrier.c.
 *
 * round_
 *   bit   63 .. 52   51 .. 32   31        30       29 .. 0
 *         epoch      changes    WAITERS   FAILED   round
 *
 * A party slot
 *   bit   63 .. 32   31 .. 20   19 .. 16            15 .. 0
 *         generation epoch      arrived in round    slot + 1
 *
 * made_
 *   bit   63     32     31 .. 0
 *         MADE   mode   parties
 *
 * history_
 *   bit   63 .. 52   51 .. 0
 *         epoch      was the first round odd: of that epoch (bit 0), of the one before (bit 1) ...
 *
 * serial_[epoch modulo FW_IPC_BARRIER_SERIALS]
 *   bit   63 .. 52   51 .. 32   31       30   29 .. 0
 *         epoch      0          CLAIMED  0    round
 */
#define BARRIER_ROUND UINT64_C(0x3fffffff)
#define BARRIER_FAILED FW_IPC_DIED
#define BARRIER_CHANGE (UINT64_C(1) << 32)
#define BARRIER_CHANGES (UINT64_C(0xfffff) << 32)
#define BARRIER_EPOCH_SHIFT 52
#define BARRIER_EPOCH UINT64_C(0xfff)

#define SLOT_ROUND_SHIFT 16
#define SLOT_ROUND UINT64_C(0xf)
#define SLOT_EPOCH_SHIFT 20

#define BARRIER_CLAIMED (UINT64_C(1) << 31)

#define BARRIER_MADE (UINT64_C(1) << 63)
#define BARRIER_MODE_SHIFT 32

_Static_assert((BARRIER_ROUND ^ FW_IPC_WAITERS ^ BARRIER_FAILED ^ BARRIER_CHANGES ^
                BARRIER_EPOCH << BARRIER_EPOCH_SHIFT) == UINT64_MAX,
               "the fields fill the word");
_Static_assert((FW_IPC_HOLDER ^ SLOT_ROUND << SLOT_ROUND_SHIFT ^
                BARRIER_EPOCH << SLOT_EPOCH_SHIFT) == UINT64_MAX,
               "and these a slot");
_Static_assert(FW_IPC_BARRIER_RESETS == BARRIER_EPOCH_SHIFT + 1, "a bit for each");
_Static_assert(sizeof((fw_ipc_barrier *)0)->serial_ / sizeof(uint64_t) == FW_IPC_BARRIER_SERIALS,
               "a word for each");

/* --- The round -------------------------------------------------------------------------------- */

static inline uint32_t round_of(uint64_t w)
{
    return (uint32_t)(w & BARRIER_ROUND);
}

static inline uint64_t epoch_of(uint64_t w)
{
    return w >> BARRIER_EPOCH_SHIFT;
}

static inline bool has_failed(uint64_t w)
{
    return (w & BARRIER_FAILED) != 0;
}

static inline bool has_sleepers(uint64_t w)
{
    return (w & FW_IPC_WAITERS) != 0;
}

/* Are these of the same round, and has it neither ended nor failed? */
static inline bool is_same_round(uint64_t w, uint64_t token)
{
    return round_of(w) == round_of(token) && epoch_of(w) == epoch_of(token) && !has_failed(w);
}

static inline uint64_t one_change_later(uint64_t w)
{
    return (w & ~BARRIER_CHANGES) | ((w + BARRIER_CHANGE) & BARRIER_CHANGES);
}

/* The beginning of the next round: nobody sleeps for it. */
static inline uint64_t one_round_later(uint64_t w)
{
    return (w & ~(BARRIER_ROUND | FW_IPC_WAITERS)) | ((w + 1) & BARRIER_ROUND);
}

static inline uint64_t one_epoch_later(uint64_t w)
{
    return (one_round_later(w) & ~BARRIER_FAILED) + (UINT64_C(1) << BARRIER_EPOCH_SHIFT);
}

/* --- The history ----------------------------------------------------------------------------- */

/* The history, as of the epoch that follows the failed word w. */
static inline uint64_t history_after(uint64_t history, uint64_t w)
{
    uint64_t next = one_epoch_later(w);

    return epoch_of(next) << BARRIER_EPOCH_SHIFT |
           (history << 1 & ((UINT64_C(1) << BARRIER_EPOCH_SHIFT) - 2)) | (next & 1);
}

/* How many epochs ago was the one that followed the token's? */
static inline uint64_t resets_since(uint64_t history, uint64_t token)
{
    return (epoch_of(history) - epoch_of(token) - 1) & BARRIER_EPOCH;
}

/*
 * Did the round of the token end, for a thread that arrived in it and now finds a later epoch?
 * Without it no round after the next one can end.  So it was this one that failed, or the next one,
 * and the next epoch began one round later, or two; unless too many have gone by.
 */
static inline bool has_ended_before_reset(uint64_t history, uint64_t token)
{
    uint64_t ago = resets_since(history, token);

    /* F:ipc-barrier-forgets */
    return ago < BARRIER_EPOCH_SHIFT && (history >> ago & 1) == (token & 1);
}

/* --- The serial thread ------------------------------------------------------------------------ */

/* A thread is the serial thread of the token's round. */
static inline uint64_t claim_of(uint64_t token)
{
    return epoch_of(token) << BARRIER_EPOCH_SHIFT | BARRIER_CLAIMED | round_of(token);
}

/* Is it a claim in an epoch after that of the token, by less than half of all? */
static inline bool is_later_claim(uint64_t claim, uint64_t token)
{
    uint64_t ahead = (epoch_of(claim) - epoch_of(token)) & BARRIER_EPOCH;

    return (claim & BARRIER_CLAIMED) != 0 && ahead != 0 && ahead <= BARRIER_EPOCH / 2;
}

/* --- A party slot ----------------------------------------------------------------------------- */

/* Of the holder: it has arrived in that round. */
static inline uint64_t slot_word(uint64_t holder, uint64_t w, uint32_t round)
{
    return holder | epoch_of(w) << SLOT_EPOCH_SHIFT |
           ((uint64_t)round & SLOT_ROUND) << SLOT_ROUND_SHIFT;
}

/* Nobody has taken it since the barrier was made or reset. */
static inline bool is_vacant(uint64_t slot, uint64_t w)
{
    return (slot & FW_IPC_SLOT) == 0 || (slot >> SLOT_EPOCH_SHIFT & BARRIER_EPOCH) != epoch_of(w);
}

/* Somebody had it and left. */
static inline bool is_left(uint64_t slot)
{
    return (slot & FW_IPC_SLOT) == FW_IPC_ABANDONED;
}

static inline bool has_arrived(uint64_t slot, uint64_t w)
{
    return (slot >> SLOT_ROUND_SHIFT & SLOT_ROUND) == (round_of(w) & SLOT_ROUND);
}

/* --- How it was made -------------------------------------------------------------------------- */

static inline uint64_t made_of(uint32_t parties, fw_ipc_barrier_mode mode)
{
    return BARRIER_MADE | (uint64_t)mode << BARRIER_MODE_SHIFT | parties;
}

static inline uint64_t parties_of(uint64_t made)
{
    return made & UINT32_MAX;
}

static inline bool goes_on(uint64_t made)
{
    return (made >> BARRIER_MODE_SHIFT & 1) != 0;
}

/* The bytes of a barrier; 0: it cannot have that many parties. */
static inline size_t barrier_bytes(uint32_t parties)
{
    if (parties == 0 || parties > FW_IPC_BARRIER_MAX)
        return 0;
    return sizeof(fw_ipc_barrier) + parties * sizeof(uint64_t);
}

static inline uint64_t *barrier_slots(const fw_ipc_barrier *b)
{
    return (uint64_t *)(uintptr_t)(b + 1);
}

#endif
