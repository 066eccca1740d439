/* SPDX-License-Identifier: MIT */
#ifndef FW_THREAD_PERMITS_WORD_H
#define FW_THREAD_PERMITS_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/atomic.h>

/*
 * The bits of a supply of permits, and what they say.  The table of states is in permits.c.
 *
 *   bit   63       62 ... 57  56          55 .. 52     51 ... 32   31        30 ... 0
 *      RECHECKING  waking     OPERATIONS  generation   waiters     RESERVED  value
 *         `------------------- sleepers' half -------------------' `-- value half --'
 */
typedef uint64_t fw_permits_word_;

#define PERMITS_VALUE_MAX UINT64_C(0x7fffffff)
#define PERMITS_RESERVED (UINT64_C(1) << 31)
#define PERMITS_WAITER (UINT64_C(1) << 32)
#define PERMITS_WAITERS_MAX UINT64_C(0xfffff)
#define PERMITS_GENERATION_SHIFT 52
#define PERMITS_GENERATION (UINT64_C(15) << PERMITS_GENERATION_SHIFT)
#define PERMITS_OPERATIONS (UINT64_C(1) << 56)
#define PERMITS_WAKING_SHIFT 57
#define PERMITS_WAKING_MAX 63u
#define PERMITS_WAKING ((uint64_t)PERMITS_WAKING_MAX << PERMITS_WAKING_SHIFT)
#define PERMITS_RECHECKING (UINT64_C(1) << 63)

_Static_assert((PERMITS_VALUE_MAX ^ PERMITS_RESERVED ^ PERMITS_WAITERS_MAX << 32 ^
                PERMITS_GENERATION ^ PERMITS_OPERATIONS ^ PERMITS_WAKING ^ PERMITS_RECHECKING) ==
                   UINT64_MAX,
               "every bit has one meaning");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the value half comes first");

/* The two words to sleep on. */
static inline const uint32_t *permits_value_word(const uint64_t *state)
{
    return (const fw_half_ *)state;
}

static inline const uint32_t *permits_sleepers_word(const uint64_t *state)
{
    return (const fw_half_ *)state + 1;
}

static inline uint32_t permits_value(fw_permits_word_ w)
{
    return (uint32_t)(w & PERMITS_VALUE_MAX);
}

static inline uint32_t permits_waiters(fw_permits_word_ w)
{
    return (uint32_t)(w / PERMITS_WAITER & PERMITS_WAITERS_MAX);
}

/* Are operations queued in the bucket? */
static inline bool has_operations(fw_permits_word_ w)
{
    return (w & PERMITS_OPERATIONS) != 0;
}

/* Nobody waits. */
static inline bool is_quiet(fw_permits_word_ w)
{
    return (w & (PERMITS_WAITERS_MAX * PERMITS_WAITER | PERMITS_OPERATIONS)) == 0;
}

static inline bool is_reserved(fw_permits_word_ w)
{
    return (w & PERMITS_RESERVED) != 0;
}

static inline bool is_rechecking(fw_permits_word_ w)
{
    return (w & PERMITS_RECHECKING) != 0;
}

static inline uint32_t permits_waking(fw_permits_word_ w)
{
    return (uint32_t)((w & PERMITS_WAKING) >> PERMITS_WAKING_SHIFT);
}

static inline uint32_t sleepers_half(fw_permits_word_ w)
{
    return (uint32_t)(w >> 32);
}

static inline uint32_t value_half(fw_permits_word_ w)
{
    return (uint32_t)w;
}

/* What any thread may take: a reserved permit is for one waiter. */
static inline uint32_t permits_available(fw_permits_word_ w)
{
    uint32_t value = permits_value(w);

    return is_reserved(w) && value > 0 ? value - 1 : value; /* F:sem-unreserved */
}

/* The waiters without a reservation. */
static inline uint32_t permits_others(fw_permits_word_ w)
{
    return permits_waiters(w) - (is_reserved(w) ? 1 : 0);
}

/* How many threads wait for which there is no permit. */
static inline uint32_t permits_lacking(fw_permits_word_ w)
{
    return permits_waiters(w) > permits_value(w) ? permits_waiters(w) - permits_value(w) : 0;
}

static inline fw_permits_word_ with_waking(fw_permits_word_ w, uint32_t waking)
{
    if (waking > PERMITS_WAKING_MAX)
        waking = PERMITS_WAKING_MAX;
    return (w & ~PERMITS_WAKING) | (fw_permits_word_)waking << PERMITS_WAKING_SHIFT;
}

/* One waiter less; the last one leaves nothing but the value, and operations. */
static inline fw_permits_word_ without_waiter(fw_permits_word_ w)
{
    w -= PERMITS_WAITER;
    if (permits_waiters(w) != 0)
        return w;
    return has_operations(w) ? w & (PERMITS_VALUE_MAX | PERMITS_OPERATIONS | PERMITS_GENERATION)
                             : permits_value(w);
}

/* No operation is queued any more. */
static inline fw_permits_word_ without_operations(fw_permits_word_ w)
{
    return permits_waiters(w) == 0 ? permits_value(w) : w & ~PERMITS_OPERATIONS;
}

/*
 * The word without stale waiters: those that were counted in an ancestor of this process, before a
 * fork, do not exist here.
 */
static inline fw_permits_word_ without_stale(fw_permits_word_ w, uint32_t generation)
{
    if (is_quiet(w) || (w & PERMITS_GENERATION) >> PERMITS_GENERATION_SHIFT == generation)
        return w;
    return permits_value(w);
}

#endif
