/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_STRIPE_H
#define FW_ATOMIC_STRIPE_H

#include <stddef.h>
#include <stdint.h>

#include "copy.h"
#include "sys/single_threaded.h"
#include "word_lock.h"

/*
 * The locks of the objects that no instruction can handle: a table of stripes.  An object has the
 * stripe that its first address hashes to, whatever its size: C11 knows no access to a part of an
 * atomic object, so one address is enough.
 *
 * The sequence counts beginnings and ends of writes; odd: a write is under way.  It has 64 bits, so
 * that it never comes round while a reader is stopped, and it is not in the lock's word, because a
 * waiter's sleep must not be refused at each write.
 */
struct fw_stripe_ {
    _Alignas(64) fw_word_lock lock;
    _Alignas(8) uint64_t sequence;
    /* the last one; a guess, for a thread that writes to the same stripe repeatedly */
    uint64_t writer;
};
_Static_assert(sizeof(struct fw_stripe_) == 64, "stripes do not share cache lines");

/* doc/design/atomics.md, "How many stripes", has the measurement. */
#ifndef FW_STRIPES_LOG2
#define FW_STRIPES_LOG2 10
#endif
#define FW_STRIPES_ (1u << FW_STRIPES_LOG2)

extern struct fw_stripe_ fw_stripes_[FW_STRIPES_] __attribute__((visibility("hidden")));

/*
 * Multiplication by 2^64 / golden ratio, of which the upper bits are well mixed (Knuth, 6.4);
 * alone, it maps some strides to few stripes, hence the fold before it.
 */
static inline uint64_t fw_stripe_hash_(const void *object)
{
    uint64_t address = (uintptr_t)object;
    return (address >> 3 ^ address >> 12) * UINT64_C(0x9e3779b97f4a7c15);
}

static inline unsigned fw_stripe_index_(const void *object)
{
    return (unsigned)(fw_stripe_hash_(object) >> (64 - FW_STRIPES_LOG2));
}

static inline struct fw_stripe_ *fw_stripe_of_(const void *object)
{
    return &fw_stripes_[fw_stripe_index_(object)];
}

/*
 * The lock.  A thread that is alone needs no atomic instruction, but leaves the same marks: a
 * signal handler that meets them waits, as it would among others, instead of reading half a value.
 */
static inline bool fw_stripe_take_alone_(struct fw_stripe_ *s)
{
    if (!fw_is_single_threaded_() || fw_load32_relaxed(&s->lock.word) != 0)
        return false;
    fw_store32_relaxed(&s->lock.word, FW_WORD_LOCK_HELD_);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return true;
}

static inline void fw_stripe_lock_(struct fw_stripe_ *s)
{
    if (!fw_stripe_take_alone_(s))
        fw_word_lock_lock_(&s->lock);
}

static inline void fw_stripe_unlock_(struct fw_stripe_ *s)
{
    if (fw_is_single_threaded_() && fw_load32_relaxed(&s->lock.word) == FW_WORD_LOCK_HELD_)
        fw_store32_release(&s->lock.word, 0);
    else
        fw_word_lock_unlock_(&s->lock);
}

static inline uint64_t fw_stripe_me_(void)
{
    return (uintptr_t)__builtin_thread_pointer();
}

/*
 * For the holder: makes the sequence odd, from what it was.  A reader that sees a word of what is
 * written sees that, too.
 */
static inline void fw_stripe_begin_at_(struct fw_stripe_ *s, uint64_t before)
{
    /* F:sequence-even */
    fw_store64_relaxed(&s->sequence, before + 1);
    if (fw_load64_relaxed(&s->writer) !=
        fw_stripe_me_()) /* a store is more expensive here than a load */
        fw_store64_relaxed(&s->writer, fw_stripe_me_());
    fw_fence_release();
}

static inline uint64_t fw_stripe_begin_(struct fw_stripe_ *s)
{
    uint64_t before = fw_load64_relaxed(&s->sequence);
    fw_stripe_begin_at_(s, before);
    return before;
}

/* Pairs with the first load of a reader. */
static inline void fw_stripe_end_(struct fw_stripe_ *s, uint64_t before)
{
    fw_store64_release(&s->sequence, before + 2); /* F:sequence-back */
}

__attribute__((always_inline)) static inline void
fw_stripe_write_(struct fw_stripe_ *s, void *object, const void *value, size_t n)
{
    uint64_t before = fw_stripe_begin_(s); /* F:sequence-late */
    fw_copy_in_(object, value, n);         /* F:sequence-early */
    fw_stripe_end_(s, before);             /* F:object-looks-after */
}

/* `out` gets what was there, and may be `value`. */
__attribute__((always_inline)) static inline void
fw_stripe_swap_(struct fw_stripe_ *s, void *object, const void *value, void *out, size_t n)
{
    uint64_t before = fw_stripe_begin_(s);
    fw_copy_swap_(object, value, out, n);
    fw_stripe_end_(s, before);
}

#endif
