/* SPDX-License-Identifier: MIT */
#ifndef FW_MUTEX_WORD_H
#define FW_MUTEX_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/fork.h"
#include "sys/thread.h"
#include <furwock/mutex.h>

/*
 * The bits of fw_mutex, and what they say.  The table of states is in mutex.c.
 *
 *   bit   63 .. 42   41     40     39 .. 37   36   35       34    33     32     31 ........ 0
 *         waiters    URGENT QUEUED generation LATE STARVING RETRY WAKING FENCED owner half
 *         `---------------------------- waiters half ------------------------'
 *
 *   owner half    0                       free
 *                 1                       held, owner id not yet published
 *                 id (lowest byte is 1)   held by the thread or task of that identity
 *                 HANDOFF | serial         being handed to a waiter
 */
typedef uint64_t fw_mutex_word_;

#define MUTEX_HANDOFF 0x80000000u

#define MUTEX_FENCED (UINT64_C(1) << 32)
#define MUTEX_WAKING (UINT64_C(1) << 33)
#define MUTEX_RETRY (UINT64_C(1) << 34)
#define MUTEX_STARVING (UINT64_C(1) << 35)
#define MUTEX_LATE (UINT64_C(1) << 36)
#define MUTEX_GENERATION_SHIFT 37
#define MUTEX_GENERATION (UINT64_C(7) << MUTEX_GENERATION_SHIFT)
#define MUTEX_QUEUED (UINT64_C(1) << 40)
#define MUTEX_URGENT (UINT64_C(1) << 41)
#define MUTEX_WAITER (UINT64_C(1) << 42)
#define MUTEX_OWNER_HALF UINT64_C(0xffffffff)

/*
 * Two queues on the waiters half: one for a waiter that was woken and lost the race, one for the
 * others.  If a real-time thread sleeps, a wake is for both: the kernel has the most urgent first.
 */
#define MUTEX_CLASS_NEW 1u
#define MUTEX_CLASS_RETRY 2u
#define MUTEX_CLASS_ANY (MUTEX_CLASS_NEW | MUTEX_CLASS_RETRY)

/* Thread ids of Linux are below 2^22, so there are never more waiters than that. */
_Static_assert(sizeof(fw_mutex) == 8, "the public promise");
_Static_assert(MUTEX_WAITER == UINT64_C(1) << (64 - 22), "can count every thread");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the owner half comes first");

static inline uint32_t owner_half(fw_mutex_word_ w)
{
    return (uint32_t)w;
}

static inline uint32_t waiters_half(fw_mutex_word_ w)
{
    return (uint32_t)(w >> 32);
}

static inline bool is_free(fw_mutex_word_ w)
{
    return owner_half(w) == 0;
}

static inline bool is_being_handed_off(fw_mutex_word_ w)
{
    return (owner_half(w) & MUTEX_HANDOFF) != 0;
}

static inline bool has_waiters(fw_mutex_word_ w)
{
    return w >= MUTEX_WAITER;
}

static inline bool wake_is_under_way(fw_mutex_word_ w)
{
    return (w & MUTEX_WAKING) != 0;
}

static inline bool is_starving(fw_mutex_word_ w)
{
    return (w & MUTEX_STARVING) != 0;
}

/* A real-time thread may be asleep, and none that was woken is awake. */
static inline bool is_urgent(fw_mutex_word_ w)
{
    return (w & MUTEX_URGENT) != 0;
}

static inline bool is_fenced(fw_mutex_word_ w)
{
    return (w & MUTEX_FENCED) != 0;
}

static inline bool has_late_sleepers(fw_mutex_word_ w)
{
    return (w & MUTEX_LATE) != 0;
}

/* Operations are queued in the bucket: mutex_queue.c. */
static inline bool has_queue(fw_mutex_word_ w)
{
    return (w & MUTEX_QUEUED) != 0;
}

static inline fw_mutex_word_ with_owner(fw_mutex_word_ w, uint32_t half)
{
    return (w & ~MUTEX_OWNER_HALF) | half;
}

/* The kernel's id of the owner; 0: nobody, or its id is not yet published. */
static inline uint32_t holder_of(fw_mutex_word_ w)
{
    return is_being_handed_off(w) ? 0 : (uint32_t)fw_id_number_(owner_half(w));
}

static inline bool has_retrying_sleeper(fw_mutex_word_ w)
{
    return (w & MUTEX_RETRY) != 0;
}

/* Which queue the next wake is for. */
static inline uint32_t class_to_wake(fw_mutex_word_ w)
{
    return has_retrying_sleeper(w) && !is_urgent(w) ? MUTEX_CLASS_RETRY
                                                    : MUTEX_CLASS_ANY; /* F:old-only */
}

/* Does a release wake nobody?  If urgent, it does: the waiter that is awake may be preempted. */
static inline bool wakes_nobody(fw_mutex_word_ w)
{
    return !has_waiters(w) || (wake_is_under_way(w) && !is_urgent(w));
}

/* The word with a wake of class_to_wake under way.  RETRY goes, so that nobody vouches: MU6. */
static inline fw_mutex_word_ with_wake(fw_mutex_word_ w)
{
    return (w & ~(MUTEX_URGENT | MUTEX_RETRY)) | MUTEX_WAKING; /* F:urgent-vouches */
}

/*
 * Does a waiter vouch for the others?  It is awake, or sleeps for RECHECK_NS at most, and will
 * clear WAKING before it leaves or sleeps for longer (MU6).
 */
static inline bool is_vouched_for(fw_mutex_word_ w)
{
    return wake_is_under_way(w) && has_retrying_sleeper(w);
}

/* The word has room for three bits of the generation. */
static inline fw_mutex_word_ generation_bits(uint32_t generation)
{
    return (fw_mutex_word_)generation << MUTEX_GENERATION_SHIFT & MUTEX_GENERATION;
}

/* Was the waiters half written by an ancestor of this process, before a fork? */
static inline bool has_stale_waiters(fw_mutex_word_ w, uint32_t generation)
{
    return (w & MUTEX_GENERATION) != generation_bits(generation);
}

/*
 * The word without stale waiters: those that were counted in an ancestor of this process, before a
 * fork, do not exist here.
 */
static inline fw_mutex_word_ without_stale(fw_mutex_word_ w, uint32_t generation)
{
    if (!has_stale_waiters(w, generation)) /* F:sees-stale */
        return w;
    return (w & MUTEX_OWNER_HALF) | generation_bits(generation);
}

static inline fw_half_ *owner_of(fw_mutex *m)
{
    return (fw_half_ *)&m->state_;
}

static inline fw_half_ *waiters_of(fw_mutex *m)
{
    return (fw_half_ *)&m->state_ + 1;
}

/*
 * The word.  A hand-off that a fork has cut short is undone: HANDOFF -> free.  Its receiver does
 * not exist in this process, and nobody held the lock.
 */
static inline fw_mutex_word_ look_at(fw_mutex *m)
{
    fw_mutex_word_ w = fw_load64_relaxed(&m->state_);

    if (is_being_handed_off(w) && has_stale_waiters(w, fw_fork_generation_())) {
        fw_cas64_relaxed(&m->state_, &w, 0);
        w = fw_load64_relaxed(&m->state_);
    }
    return w;
}

#endif
