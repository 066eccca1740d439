/* SPDX-License-Identifier: MIT */
/*
 * Objects that no instruction can handle.  Contract: object.h.
 *
 * Origin: the lock is that of word_lock.c; that readers check a sequence count instead is the
 * sequential lock of Linux, with the orders of Boehm, "Can seqlocks get along with programming
 * language memory models?" (MSPC 2012).  Proof: doc/design/atomics.md.
 *
 *   sequence   meaning                        changed by
 *   even       no write is under way          the holder of the lock, before it writes: -> odd
 *   odd        the holder is writing          the same, after: -> even
 *
 *   AOBJ1  The object is written by the holder of its lock only, and while the sequence is odd.
 *   AOBJ2  A writer's odd sequence comes before its writes, for a reader that sees one of them
 *   (release
 *          fence there, acquire fence here); its even sequence comes after them (release; acquire
 *          here).
 *   AOBJ3  A reader that found the same even sequence before and after has copied one value.
 *   AOBJ4  The lock is given back by a locked instruction after the write: on x86-64 a sequentially
 *          consistent store needs no more; elsewhere there are fences (atomic_order.h).
 */
#include "object.h"

#include <stdint.h>
#include <string.h>

#include <furwock/bits/atomic.h>

#include "atomic_order.h"
#include "contended.h"
#include "copy.h"
#include "guard.h"
#include "stripe.h"
#include "sys/clock.h"
#include "watch.h"

/* One try without the lock.  False: a write was, or came, in the way, and `out` means nothing. */
static inline bool copy_unlocked(fw_guard_ guard, const void *object, void *out, size_t n)
{
    const uint64_t *sequence = fw_guard_sequence_(guard);
    uint64_t before = fw_load64_acquire(sequence);

    if ((before & 1) != 0) /* F:load-odd */
        return false;      /* F:load-looks-early */
    fw_copy_out_(out, object, n);
    fw_fence_acquire();
    return fw_load64_relaxed(sequence) == before; /* AOBJ3  F:load-looks-once */
}

__attribute__((cold, noinline)) static void load_slow(fw_guard_ guard, const void *object,
                                                      void *out, size_t n, int order)
{
    for (unsigned look = 1; look < FW_OBJECT_LOOKS_; look++) {
        fw_pause_();
        if (copy_unlocked(guard, object, out, n)) {
            fw_watch_acquire_(object, order);
            return;
        }
    }
    fw_guard_lock_(&guard); /* F:load-unlocked */
    fw_copy_out_(out, object, n);
    fw_watch_acquire_(object, order);
    fw_guard_unlock_(&guard);
}

/*
 * Each operation is compiled twice: for objects that are whole words, where it is short, and for
 * the others (NAME_ragged).  What comes before the first write is the caller's, so that those who
 * end early are not held up.
 */
#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Have there been several threads, and no ThreadSanitizer?  Then the short way (object_short.h). */
static uint8_t was_multithreaded;

static inline void mark_multithreaded(void)
{
    if (!fw_is_watched_())
        fw_mark_multithreaded_(&was_multithreaded);
}

static ALWAYS_INLINE void load_any(const void *object, void *out, size_t n, int order)
{
    fw_guard_ guard = fw_guard_of_(object, n);

    fw_order_before_(order);
    if (__builtin_expect(copy_unlocked(guard, object, out, n), 1))
        fw_watch_acquire_(object, order);
    else
        load_slow(guard, object, out, n, order);
}

__attribute__((noinline)) static void load_ragged(const void *object, void *out, size_t n,
                                                  int order)
{
    load_any(object, out, n, order);
}

void fw_object_load_(const void *object, void *out, size_t n, int order)
{
    if (fw_is_words_(object, n))
        load_any(object, out, n, order);
    else
        load_ragged(object, out, n, order);
}

static ALWAYS_INLINE void store_any(void *object, const void *value, size_t n, int order)
{
    fw_guard_ guard = fw_guard_of_(object, n);

    fw_order_before_(order);
    fw_guard_lock_(&guard);
    fw_watch_release_(object, order);
    fw_guard_write_(&guard, object, value, n);
    fw_guard_unlock_(&guard);
    fw_order_after_(order);
}

__attribute__((noinline)) static void store_ragged(void *object, const void *value, size_t n,
                                                   int order)
{
    store_any(object, value, n, order);
}

__attribute__((noinline)) static void store_long(void *object, const void *value, size_t n,
                                                 int order)
{
    mark_multithreaded();
    if (fw_is_words_(object, n))
        store_any(object, value, n, order);
    else
        store_ragged(object, value, n, order);
}

static ALWAYS_INLINE void exchange_any(void *object, const void *value, void *out, size_t n,
                                       int order)
{
    fw_guard_ guard = fw_guard_of_(object, n);

    fw_order_before_(order);
    fw_guard_lock_(&guard); /* F:swap-in-two */
    fw_watch_acquire_(object, order);
    fw_watch_release_(object, order);
    fw_guard_swap_(&guard, object, value, out, n);
    fw_guard_unlock_(&guard);
    fw_order_after_(order);
}

__attribute__((noinline)) static void exchange_ragged(void *object, const void *value, void *out,
                                                      size_t n, int order)
{
    exchange_any(object, value, out, n, order);
}

__attribute__((noinline)) static void exchange_long(void *object, const void *value, void *out,
                                                    size_t n, int order)
{
    mark_multithreaded();
    if (fw_is_words_(object, n))
        exchange_any(object, value, out, n, order);
    else
        exchange_ragged(object, value, out, n, order);
}

/*
 * The object seemed to be other than expected.  If it was, at one moment, then `expected` becomes
 * what it was then.  False: perhaps it was not.
 */
static bool was_other(fw_guard_ guard, const void *object, void *expected, size_t n)
{
    uint64_t now[FW_OBJECT_PEEK_ / 8];

    if (n > sizeof now || !copy_unlocked(guard, object, now, n) ||
        fw_copy_is_equal_(now, expected, n)) /* F:cas-torn */
        return false;
    memcpy(expected, now, n);
    return true;
}

/*
 * For one who has lost a race, and not the first: lets the others go on as long as the sequence
 * changes, for some microseconds at most.  Threads that all change one object get more done if one
 * of them does some changes in a row than if the object travels between CPUs for each.
 */
static void give_way(fw_guard_ guard)
{
    const uint64_t *sequence = fw_guard_sequence_(guard);

    if (!fw_guard_is_others_(guard) || !fw_contention_(sequence, fw_load64_relaxed(sequence)))
        return;
    for (unsigned pauses = FW_OBJECT_PAUSES_; pauses <= FW_OBJECT_PAUSES_MAX_; pauses *= 2) {
        uint64_t before = fw_load64_relaxed(sequence);
        for (unsigned i = 0; i < pauses; i++)
            fw_pause_();
        if (fw_load64_relaxed(sequence) == before)
            return;
    }
}

/* The rest of a compare-exchange, for the holder, who does not know whether they are equal. */
__attribute__((noinline)) static bool compare_exchange_held(fw_guard_ guard, void *object,
                                                            void *expected, const void *value,
                                                            size_t n, int order, int failure)
{
    bool is_equal = fw_copy_is_equal_(object, expected, n);

    if (is_equal) {
        fw_watch_acquire_(object, order);
        fw_watch_release_(object, order);
        fw_guard_write_(&guard, object, value, n);
    } else {
        fw_copy_out_(expected, object, n);
        fw_watch_acquire_(object, failure);
    }
    fw_guard_unlock_(&guard);
    fw_order_after_(order);
    return is_equal;
}

/* The whole of one that will probably fail. */
__attribute__((noinline)) static bool compare_exchange_other(void *object, void *expected,
                                                             const void *value, size_t n, int order,
                                                             int failure)
{
    fw_guard_ guard = fw_guard_of_(object, n);

    give_way(guard);
    if (was_other(guard, object, expected, n)) {
        fw_watch_acquire_(object, failure);
        return false;
    }
    fw_guard_lock_(&guard);
    return compare_exchange_held(guard, object, expected, value, n, order, failure);
}

/*
 * Looks first without the lock: a failure seldom needs it.  Where the object was found equal, and
 * no write has begun since (`before`), it still is, and was read whole (AOBJ1).
 */
static ALWAYS_INLINE bool compare_exchange_any(void *object, void *expected, const void *value,
                                               size_t n, int order, int failure)
{
    fw_guard_ guard = fw_guard_of_(object, n);
    uint64_t before;

    fw_order_before_(order);
    before = fw_load64_acquire(fw_guard_sequence_(guard));
    if (!fw_copy_is_equal_(object, expected, n))
        return compare_exchange_other(object, expected, value, n, order, failure);
    fw_guard_lock_(&guard);
    if (__builtin_expect(/* F:cas-unlocked */
                         (before & 1) != 0 ||
                             fw_load64_relaxed(fw_guard_sequence_(guard)) != before,
                         0))
        return compare_exchange_held(guard, object, expected, value, n, order, failure);
    fw_watch_acquire_(object, order);
    fw_watch_release_(object, order);
    fw_guard_write_(&guard, object, value, n);
    fw_guard_unlock_(&guard);
    fw_order_after_(order);
    return true;
}

__attribute__((noinline)) static bool compare_exchange_ragged(void *object, void *expected,
                                                              const void *value, size_t n,
                                                              int order, int failure)
{
    return compare_exchange_any(object, expected, value, n, order, failure);
}

__attribute__((noinline)) static bool compare_exchange_long(void *object, void *expected,
                                                            const void *value, size_t n, int order,
                                                            int failure)
{
    mark_multithreaded();
    return fw_is_words_(object, n)
               ? compare_exchange_any(object, expected, value, n, order, failure)
               : compare_exchange_ragged(object, expected, value, n, order, failure);
}

/* --- The short way ---------------------------------------------------------------------------- */

static ALWAYS_INLINE bool is_short(const void *object, size_t n)
{
    return fw_guard_is_stripe_() && fw_is_words_(object, n) &&
           fw_was_multithreaded_(&was_multithreaded);
}

#include "object_short.h"
