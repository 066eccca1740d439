/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_GUARD_H
#define FW_ATOMIC_GUARD_H

#include <string.h>

#include "copy.h"
#include "region.h"
#include "robust_lock.h"
#include "stripe.h"
#include "table.h"

/*
 * What object.c needs of the lock of an object: here, a stripe of the table in the region where the
 * object lies, or of the process if it lies in none.  States and proof: guard.c.
 *
 *     fw_guard_ guard = fw_guard_of_(object, n)
 *     fw_guard_sequence_(guard)                 the word that readers check
 *     fw_guard_lock_(&guard), fw_guard_unlock_(&guard)
 *     fw_guard_write_, fw_guard_swap_           for the holder; the sequence is odd meanwhile
 *     fw_guard_is_others_(guard)                did another thread write last?  A guess
 *     fw_guard_is_stripe_()                     is it fw_stripe_of_(object), whatever the object?
 */
typedef struct fw_guard_ {
    struct fw_stripe_ *own; /* NULL: the object lies in a region, and what follows counts */
    struct fw_table_stripe_ *shared;
    uint64_t offset;          /* of the object */
    struct fw_robust_ robust; /* from lock to unlock */
} fw_guard_;

/* A region's stripes are elsewhere. */
static inline bool fw_guard_is_stripe_(void)
{
    return false;
}

/* Guards stay in registers: through memory, a load takes three times as long. */
#define FW_GUARD_INLINE inline __attribute__((always_inline))

/* Ends the program: no such object is possible. */
_Noreturn void fw_guard_refuse_(const void *object, size_t n);

/* The lock's owner died. */
void fw_guard_repair_(struct fw_table_stripe_ *stripe);

static FW_GUARD_INLINE fw_guard_ fw_guard_of_(const void *object, size_t n)
{
    fw_guard_ guard = {.own = NULL};
    struct fw_region_ region;

    if (!fw_region_of_(object, &region)) {
        guard.own = fw_stripe_of_(object);
        return guard;
    }
    guard.offset = (uint64_t)((const char *)object - region.base);
    if (__builtin_expect(guard.offset < fw_region_space_(&region) || n > region.largest ||
                             n > region.size - guard.offset,
                         0))
        fw_guard_refuse_(object, n);
    guard.shared = fw_table_stripe_(region.base, region.stripe_size, fw_table_index_(guard.offset));
    return guard;
}

static FW_GUARD_INLINE const uint64_t *fw_guard_sequence_(fw_guard_ guard)
{
    return guard.own != NULL ? &guard.own->sequence : &guard.shared->sequence;
}

/* In a region it is not known. */
static inline bool fw_guard_is_others_(fw_guard_ guard)
{
    return guard.own != NULL && fw_load64_relaxed(&guard.own->writer) != fw_stripe_me_();
}

static FW_GUARD_INLINE void fw_guard_lock_(fw_guard_ *guard)
{
    if (guard->own != NULL)
        fw_stripe_lock_(guard->own);
    /* F:ipc-atomic-no-repair */
    else if (fw_robust_lock_(&guard->shared->lock, &guard->robust, 0) != FW_ROBUST_TAKEN_)
        fw_guard_repair_(guard->shared);
}

static FW_GUARD_INLINE void fw_guard_unlock_(fw_guard_ *guard)
{
    if (guard->own != NULL)
        fw_stripe_unlock_(guard->own);
    else
        fw_robust_unlock_(&guard->shared->lock, &guard->robust);
}

/* Whole words at a time, as most objects are. */
static FW_GUARD_INLINE void fw_table_log_(unsigned char *log, const void *value, size_t n)
{
    if (n % 8 == 0)
        for (size_t i = 0; i < n / 8; i++)
            memcpy(log + 8 * i, (const char *)value + 8 * i, 8);
    else
        memcpy(log, value, n);
}

/* For the holder: the next number, odd or even; all that came before it is seen before it. */
static inline void fw_table_step_(struct fw_table_stripe_ *stripe)
{
    fw_store64_release(&stripe->sequence, fw_load64_relaxed(&stripe->sequence) + 1);
}

/* From the store to `logged` on, the new value is the object's, whatever happens: ALOG3. */
static FW_GUARD_INLINE void fw_table_begin_(const fw_guard_ *guard, const void *value, size_t n)
{
    struct fw_table_stripe_ *stripe = guard->shared;

    fw_table_log_(stripe->log, value, n);               /* F:ipc-atomic-declared-first */
    fw_store64_relaxed(&stripe->offset, guard->offset); /* F:ipc-atomic-offset-late */
    fw_table_step_(stripe);                             /* F:ipc-atomic-odd-late */
    /* F:ipc-atomic-undeclared */
    fw_store32_release(&stripe->logged, (uint32_t)n);
    fw_fence_release(); /* a reader that sees a word of what is written sees the sequence odd */
}

static inline void fw_table_end_(struct fw_table_stripe_ *stripe)
{
    fw_store32_release(&stripe->logged, 0); /* F:ipc-atomic-never-cleared */
    fw_table_step_(stripe);                 /* F:ipc-atomic-left-odd */
}

static FW_GUARD_INLINE void fw_guard_write_(fw_guard_ *guard, void *object, const void *value,
                                            size_t n)
{
    if (guard->own != NULL) {
        fw_stripe_write_(guard->own, object, value, n);
        return;
    }
    fw_table_begin_(guard, value, n);
    fw_copy_in_(object, value, n); /* F:ipc-atomic-cleared-early */
    fw_table_end_(guard->shared);
}

/* `out` gets what was there, and may be `value`. */
static FW_GUARD_INLINE void fw_guard_swap_(fw_guard_ *guard, void *object, const void *value,
                                           void *out, size_t n)
{
    if (guard->own != NULL) {
        fw_stripe_swap_(guard->own, object, value, out, n);
        return;
    }
    fw_table_begin_(guard, value, n);
    fw_copy_swap_(object, value, out, n);
    fw_table_end_(guard->shared);
}

#endif
