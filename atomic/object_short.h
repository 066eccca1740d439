/* SPDX-License-Identifier: MIT */
/*
 * The end of object.c: the operations that write, by the shortest way there is, for an object of
 * whole words whose guard is a stripe that is free.  Whatever does not fit goes the long way, which
 * begins anew (NAME_long).
 *
 * What counts is what lies between two locked instructions: the second does not begin before all
 * that comes before it is done, and no load begins before the first is done.  So:
 *
 *   - no calls but in place of a return: then nothing is saved and restored;
 *   - the value is taken before the lock, and what was found is put down after it;
 *   - no load needs another one, and few words have names, not places in an array.
 */
#ifndef FW_ATOMIC_OBJECT_SHORT_H
#define FW_ATOMIC_OBJECT_SHORT_H

/* Three or four words. */
struct few {
    uint64_t a, b, c, d;
};

static ALWAYS_INLINE struct few few_take(const void *bytes, size_t n)
{
    return (struct few){fw_bytes_get_(bytes, 0), fw_bytes_get_(bytes, 1), fw_bytes_get_(bytes, 2),
                        n == 32 ? fw_bytes_get_(bytes, 3) : 0};
}

static ALWAYS_INLINE void few_put(void *bytes, struct few few, size_t n)
{
    fw_bytes_set_(bytes, 0, few.a);
    fw_bytes_set_(bytes, 1, few.b);
    fw_bytes_set_(bytes, 2, few.c);
    if (n == 32)
        fw_bytes_set_(bytes, 3, few.d);
}

static ALWAYS_INLINE void few_write(void *object, struct few few, size_t n)
{
    fw_object_set_(object, 0, few.a);
    fw_object_set_(object, 1, few.b);
    fw_object_set_(object, 2, few.c);
    if (n == 32)
        fw_object_set_(object, 3, few.d);
}

static ALWAYS_INLINE uint64_t few_change(void *object, size_t i, uint64_t word)
{
    uint64_t old = fw_object_get_(object, i);
    fw_object_set_(object, i, word);
    return old;
}

static ALWAYS_INLINE struct few few_swap(void *object, struct few few, size_t n)
{
    few.a = few_change(object, 0, few.a);
    few.b = few_change(object, 1, few.b);
    few.c = few_change(object, 2, few.c);
    if (n == 32)
        few.d = few_change(object, 3, few.d);
    return few;
}

/* Where the short way is not known to be open: is there the way of a thread that is alone? */
static ALWAYS_INLINE bool may_be_alone(const void *object, size_t n)
{
    return fw_guard_is_stripe_() && fw_is_words_(object, n);
}

/* The compiler would keep table and distance in two registers, and add them in a third. */
static ALWAYS_INLINE struct fw_stripe_ *stripe_of(const void *object)
{
    struct fw_stripe_ *s = fw_stripe_of_(object);
    __asm__("" : "+r"(s));
    return s;
}

/* A lock that is free is taken, whoever sleeps: one try for each of the two that it may be. */
static ALWAYS_INLINE bool take_stripe(struct fw_stripe_ *s)
{
    uint32_t now = 0;
    if (__builtin_expect(fw_cas32_acquire(&s->lock.word, &now, FW_WORD_LOCK_HELD_),
                         1)) /* 0 -> HELD */
        return true;
    return !fw_word_lock_is_held_(now) &&
           fw_cas32_acquire(&s->lock.word, &now, now | FW_WORD_LOCK_HELD_); /* n -> HELD|n */
}

/* --- Store ------------------------------------------------------------------------------------ */

static ALWAYS_INLINE void store_few(void *object, const void *value, size_t n, int order)
{
    struct fw_stripe_ *s = stripe_of(object);
    struct few mine = few_take(value, n);
    uint64_t before;

    fw_order_before_(order);
    if (!take_stripe(s)) {
        store_long(object, value, n, order);
        return;
    }
    before = fw_stripe_begin_(s);
    few_write(object, mine, n);
    fw_stripe_end_(s, before);
    fw_word_lock_unlock_(&s->lock);
    fw_order_after_(order);
}

__attribute__((noinline)) static void store_24(void *object, const void *value, int order)
{
    store_few(object, value, 24, order);
}

__attribute__((noinline)) static void store_many(void *object, const void *value, size_t n,
                                                 int order)
{
    struct fw_stripe_ *s = fw_stripe_of_(object);

    fw_order_before_(order);
    if (!take_stripe(s)) {
        store_long(object, value, n, order);
        return;
    }
    fw_stripe_write_(s, object, value, n);
    fw_word_lock_unlock_(&s->lock);
    fw_order_after_(order);
}

__attribute__((noinline)) static void store_alone(void *object, const void *value, size_t n,
                                                  int order)
{
    struct fw_stripe_ *s = fw_stripe_of_(object);

    if (!may_be_alone(object, n) || !fw_stripe_take_alone_(s)) {
        store_long(object, value, n, order);
        return;
    }
    fw_stripe_write_(s, object, value, n);
    fw_stripe_unlock_(s);
}

void fw_object_store_(void *object, const void *value, size_t n, int order)
{
    if (!is_short(object, n))
        store_alone(object, value, n, order);
    else if (n == 32)
        store_few(object, value, 32, order);
    else if (n == 24)
        store_24(object, value, order);
    else
        store_many(object, value, n, order);
}

/* --- Exchange --------------------------------------------------------------------------------- */

static ALWAYS_INLINE void exchange_few(void *object, const void *value, void *out, size_t n,
                                       int order)
{
    struct fw_stripe_ *s = stripe_of(object);
    struct few mine = few_take(value, n);
    uint64_t before;
    uint32_t was;

    fw_order_before_(order);
    if (!take_stripe(s)) {
        exchange_long(object, value, out, n, order);
        return;
    }
    before = fw_stripe_begin_(s);
    mine = few_swap(object, mine, n);
    fw_stripe_end_(s, before);
    was = fw_add32_release(&s->lock.word, FW_WORD_LOCK_HELD_); /* HELD|n -> n */
    fw_order_after_(order);
    few_put(out, mine, n);
    if (__builtin_expect(was != FW_WORD_LOCK_HELD_, 0))
        fw_word_unlock_slow_(&s->lock, was);
}

__attribute__((noinline)) static void exchange_24(void *object, const void *value, void *out,
                                                  int order)
{
    exchange_few(object, value, out, 24, order);
}

__attribute__((noinline)) static void exchange_many(void *object, const void *value, void *out,
                                                    size_t n, int order)
{
    struct fw_stripe_ *s = fw_stripe_of_(object);

    fw_order_before_(order);
    if (!take_stripe(s)) {
        exchange_long(object, value, out, n, order);
        return;
    }
    fw_stripe_swap_(s, object, value, out, n);
    fw_word_lock_unlock_(&s->lock);
    fw_order_after_(order);
}

__attribute__((noinline)) static void exchange_alone(void *object, const void *value, void *out,
                                                     size_t n, int order)
{
    struct fw_stripe_ *s = fw_stripe_of_(object);

    if (!may_be_alone(object, n) || !fw_stripe_take_alone_(s)) {
        exchange_long(object, value, out, n, order);
        return;
    }
    fw_stripe_swap_(s, object, value, out, n);
    fw_stripe_unlock_(s);
}

void fw_object_exchange_(void *object, const void *value, void *out, size_t n, int order)
{
    if (!is_short(object, n))
        exchange_alone(object, value, out, n, order);
    else if (n == 32)
        exchange_few(object, value, out, 32, order);
    else if (n == 24)
        exchange_24(object, value, out, order);
    else
        exchange_many(object, value, out, n, order);
}

/* --- Compare-exchange ------------------------------------------------------------------------- */

/* Not 0 if the object's words and those of `expected` differ. */
static ALWAYS_INLINE uint64_t few_differ(const void *object, const void *expected, size_t n)
{
    uint64_t differ = fw_object_get_(object, 0) ^ fw_bytes_get_(expected, 0);

    differ |= fw_object_get_(object, 1) ^ fw_bytes_get_(expected, 1);
    differ |= fw_object_get_(object, 2) ^ fw_bytes_get_(expected, 2);
    if (n == 32)
        differ |= fw_object_get_(object, 3) ^ fw_bytes_get_(expected, 3);
    return differ;
}

/* Somebody wrote after the look and before the lock. */
__attribute__((cold, noinline)) static bool compare_exchange_again(void *object, void *expected,
                                                                   const void *value, size_t n,
                                                                   int order, int failure)
{
    fw_word_lock_unlock_(&fw_stripe_of_(object)->lock);
    return compare_exchange_long(object, expected, value, n, order, failure);
}

static ALWAYS_INLINE bool compare_exchange_few(void *object, void *expected, const void *value,
                                               size_t n, int order, int failure)
{
    struct fw_stripe_ *s = stripe_of(object);
    uint64_t before;
    struct few mine;

    fw_order_before_(order);
    before = fw_load64_acquire(&s->sequence);
    if (((before & 1) | few_differ(object, expected, n)) != 0)
        return compare_exchange_long(object, expected, value, n, order, failure);
    mine = few_take(value, n);
    if (!take_stripe(s))
        return compare_exchange_long(object, expected, value, n, order, failure);
    if (__builtin_expect(fw_load64_relaxed(&s->sequence) != before, 0))
        return compare_exchange_again(object, expected, value, n, order, failure);
    fw_stripe_begin_at_(s, before);
    few_write(object, mine, n);
    fw_stripe_end_(s, before);
    fw_word_lock_unlock_(&s->lock);
    fw_order_after_(order);
    return true;
}

__attribute__((noinline)) static bool compare_exchange_24(void *object, void *expected,
                                                          const void *value, int order, int failure)
{
    return compare_exchange_few(object, expected, value, 24, order, failure);
}

__attribute__((noinline)) static bool compare_exchange_many(void *object, void *expected,
                                                            const void *value, size_t n, int order,
                                                            int failure)
{
    struct fw_stripe_ *s = fw_stripe_of_(object);
    uint64_t before;

    fw_order_before_(order);
    before = fw_load64_acquire(&s->sequence);
    if ((before & 1) != 0 || !fw_copy_is_equal_(object, expected, n) || !take_stripe(s))
        return compare_exchange_long(object, expected, value, n, order, failure);
    if (__builtin_expect(fw_load64_relaxed(&s->sequence) != before, 0))
        return compare_exchange_again(object, expected, value, n, order, failure);
    fw_stripe_write_(s, object, value, n);
    fw_word_lock_unlock_(&s->lock);
    fw_order_after_(order);
    return true;
}

__attribute__((noinline)) static bool compare_exchange_alone(void *object, void *expected,
                                                             const void *value, size_t n, int order,
                                                             int failure)
{
    struct fw_stripe_ *s = fw_stripe_of_(object);
    bool is_equal;

    if (!may_be_alone(object, n) || !fw_stripe_take_alone_(s))
        return compare_exchange_long(object, expected, value, n, order, failure);
    is_equal = fw_copy_is_equal_(object, expected, n);
    if (is_equal)
        fw_stripe_write_(s, object, value, n);
    else
        fw_copy_out_(expected, object, n);
    fw_stripe_unlock_(s);
    return is_equal;
}

bool fw_object_compare_exchange_(void *object, void *expected, const void *value, size_t n,
                                 int order, int failure)
{
    if (!is_short(object, n))
        return compare_exchange_alone(object, expected, value, n, order, failure);
    if (n == 32)
        return compare_exchange_few(object, expected, value, 32, order, failure);
    if (n == 24)
        return compare_exchange_24(object, expected, value, order, failure);
    return compare_exchange_many(object, expected, value, n, order, failure);
}

#endif
