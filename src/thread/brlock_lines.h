/* SPDX-License-Identifier: MIT */
#ifndef FW_BRLOCK_LINES_H
#define FW_BRLOCK_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/brlock.h>
#include <furwock/mutex.h>

#include "sys/fork.h"
#include "sys/percpu.h"
#include "sys/thread.h"

/*
 * The words of fw_brlock, and what they say.  The tables of states are in brlock.c.
 *
 *   the lock              cache lines that it has allocated
 *   owner_                1           the writers' mutex, and the readers that are kept out
 *   counters_             1 or more   stripes: 1, or as many as brlock_life.c decides
 *   lines_  ----------->  counters_   counters, one per CPU, if there are any
 */

/* The owner word: an identity, whose lowest byte is 1, and SLEEPERS; or 0; or SHARING alone. */
#define BRLOCK_SLEEPERS UINT32_C(2)
#define BRLOCK_SHARING UINT32_C(4)

/*
 * After this many readers since the last writer the next ones use the counters: a fence costs a
 * writer as much as some dozens of readers lose by sharing a cache line.
 */
#define BRLOCK_ENOUGH 64u

/* A stripe, and the count of those kept out: one bit and 31 bits of count. */
#define BRLOCK_CLOSED UINT32_C(1)
#define BRLOCK_READER UINT32_C(2)

/* A writer visits all stripes: 4 KiB of them, on machines with 32 CPUs and more. */
#define BRLOCK_STRIPES_MAX 64u

struct fw_brlock_stripe_ {
    uint32_t word;
    uint32_t readers; /* about as many have come since the last writer, while SHARING was set */
} __attribute__((aligned(FW_PERCPU_STRIDE)));

/* What a lock has allocated; the counters lie behind the stripes. */
struct fw_brlock_lines_ {
    fw_mutex writers;
    uint32_t kept;       /* readers that a writer keeps out; CLOSED: the next one waits for them */
    uint32_t stripes;    /* a power of two; 1 where there are counters */
    uint32_t generation; /* of the process that made the lock: fw_fork_generation_ */
    struct fw_brlock_stripe_ stripe[] __attribute__((aligned(FW_PERCPU_STRIDE)));
};

_Static_assert((FW_ID_HELD & BRLOCK_SLEEPERS) == 0, "told apart");
_Static_assert((FW_ID_HELD & BRLOCK_SHARING) == 0, "told apart");
_Static_assert((BRLOCK_SLEEPERS | BRLOCK_SHARING) < 1u << FW_ID_SHIFT, "beside the number");
_Static_assert(sizeof(struct fw_brlock_stripe_) == FW_PERCPU_STRIDE, "one line each");
_Static_assert(sizeof(struct fw_brlock_lines_) == FW_PERCPU_STRIDE,
               "the mutex has a line of its own");
_Static_assert(sizeof(fw_brlock) == 16, "small enough to lie anywhere");

static inline bool brlock_is_closed(uint32_t owner)
{
    return (owner & ~BRLOCK_SHARING) != 0;
}

static inline uint32_t brlock_owner_of(uint32_t owner)
{
    return owner & ~(BRLOCK_SLEEPERS | BRLOCK_SHARING);
}

static inline bool has_readers(uint32_t stripe)
{
    return stripe >= BRLOCK_READER;
}

/* Does this release leave a closed stripe empty? */
static inline bool was_last(uint32_t stripe)
{
    return stripe == (BRLOCK_READER | BRLOCK_CLOSED);
}

static inline bool has_counters(const fw_brlock *l)
{
    return l->counters_ != 0;
}

/* The owner word of a lock that is open, and of which the counters are 0 and at rest (BR7). */
static inline uint32_t sharing(const fw_brlock *l)
{
    return has_counters(l) ? BRLOCK_SHARING : 0;
}

/* Only for a lock with counters, which has one stripe. */
static inline void *counters_of(const fw_brlock *l)
{
    return &l->lines_->stripe[1];
}

static inline uint32_t *counter_at(const fw_brlock *l, uint32_t i)
{
    return (uint32_t *)((char *)counters_of(l) + (size_t)i * FW_PERCPU_STRIDE);
}

/*
 * Is anybody inside?  Exact if the lock is closed, or if nobody enters meanwhile: a release takes 1
 * from one of the words, before it is read or after, so a reader that stays is counted.  Otherwise
 * a reader that is seen was inside just now; and one that stays may be missed because another
 * entered by a word that had been read and left by one that had not.
 */
static inline bool brlock_is_read(const fw_brlock *l)
{
    uint32_t readers = 0;

    for (uint32_t i = 0; i < l->counters_; i++)
        readers += fw_load32_relaxed(counter_at(l, i));
    readers *= BRLOCK_READER;
    for (uint32_t i = 0; i < l->lines_->stripes; i++)
        readers += fw_load32_acquire(&l->lines_->stripe[i].word) & ~BRLOCK_CLOSED;
    return readers != 0;
}

/* A thread gets the same stripe at every call, for all its life. */
static inline uint32_t *stripe_of_self(const fw_brlock *l)
{
    uint32_t i = has_counters(l) ? 0 : fw_self_() >> FW_ID_SHIFT & (l->lines_->stripes - 1);

    return &l->lines_->stripe[i].word;
}

#endif
