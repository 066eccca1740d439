/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_GUARD_H
#define FW_ATOMIC_GUARD_H

#include "stripe.h"

/*
 * What object.c needs of the lock of an object: here, a stripe of the process.
 *
 *     fw_guard_ guard = fw_guard_of_(object, n)
 *     fw_guard_sequence_(guard)                 the word that readers check
 *     fw_guard_lock_(&guard), fw_guard_unlock_(&guard)
 *     fw_guard_write_, fw_guard_swap_           for the holder; the sequence is odd meanwhile
 *     fw_guard_is_others_(guard)                did another thread write last?  A guess
 *     fw_guard_is_stripe_()                     is it fw_stripe_of_(object), whatever the object?
 */
typedef struct fw_guard_ {
    struct fw_stripe_ *stripe;
} fw_guard_;

static inline bool fw_guard_is_stripe_(void)
{
    return true;
}

static inline fw_guard_ fw_guard_of_(const void *object, size_t n)
{
    (void)n;
    return (fw_guard_){fw_stripe_of_(object)};
}

static inline const uint64_t *fw_guard_sequence_(fw_guard_ guard)
{
    return &guard.stripe->sequence;
}

static inline bool fw_guard_is_others_(fw_guard_ guard)
{
    return fw_load64_relaxed(&guard.stripe->writer) != fw_stripe_me_();
}

static inline void fw_guard_lock_(fw_guard_ *guard)
{
    fw_stripe_lock_(guard->stripe);
}

static inline void fw_guard_unlock_(fw_guard_ *guard)
{
    fw_stripe_unlock_(guard->stripe);
}

static inline void fw_guard_write_(fw_guard_ *guard, void *object, const void *value, size_t n)
{
    fw_stripe_write_(guard->stripe, object, value, n);
}

static inline void fw_guard_swap_(fw_guard_ *guard, void *object, const void *value, void *out,
                                  size_t n)
{
    fw_stripe_swap_(guard->stripe, object, value, out, n);
}

#endif
