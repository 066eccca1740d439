/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_ATOMIC_ABI_H
#define FW_TEST_ATOMIC_ABI_H

#include "atomic_pair.h"
#include "stripes.h"

/*
 * The calls of the ABI by names of our own, since compilers know theirs as built-ins, and would
 * compile them in.
 */
#define ABI(type, name, parameters) type abi_##name parameters __asm__(#name)

ABI(void, __atomic_load, (size_t n, const void *object, void *out, int order));
ABI(void, __atomic_store, (size_t n, void *object, const void *value, int order));
ABI(void, __atomic_exchange, (size_t n, void *object, const void *value, void *out, int order));
ABI(bool, __atomic_compare_exchange,
    (size_t n, void *object, void *expected, const void *value, int order, int failure));
ABI(bool, __atomic_is_lock_free, (size_t n, const void *object));

#define ABI_FETCH(type, op, N)                                                   \
    ABI(type, __atomic_fetch_##op##_##N, (void *object, type value, int order)); \
    ABI(type, __atomic_##op##_fetch_##N, (void *object, type value, int order));

#define ABI_SIZED(type, N)                                                   \
    ABI(type, __atomic_load_##N, (const void *object, int order));           \
    ABI(void, __atomic_store_##N, (void *object, type value, int order));    \
    ABI(type, __atomic_exchange_##N, (void *object, type value, int order)); \
    ABI(bool, __atomic_compare_exchange_##N,                                 \
        (void *object, void *expected, type value, int order, int failure)); \
    ABI(bool, __atomic_test_and_set_##N, (void *object, int order));         \
    ABI_FETCH(type, add, N)                                                  \
    ABI_FETCH(type, sub, N)                                                  \
    ABI_FETCH(type, and, N)                                                  \
    ABI_FETCH(type, or, N)                                                   \
    ABI_FETCH(type, xor, N)                                                  \
    ABI_FETCH(type, nand, N)

ABI_SIZED(uint8_t, 1)
ABI_SIZED(uint16_t, 2)
ABI_SIZED(uint32_t, 4)
ABI_SIZED(uint64_t, 8)
ABI_SIZED(fw_pair_, 16)

/* The promise of abi_generic.c: which objects are handled without a lock. */
static inline bool is_lock_free(const void *object, size_t n)
{
    uintptr_t at = (uintptr_t)object;

    return at % 8 + n <= 8 || (at % 16 + n <= 16 && fw_pair_is_here_());
}

/*
 * Every sized call on an object of `type`, at `object`, against what C calculates.  A locked call
 * is one write, a lock-free one none: their number ends up in the sequence of the stripe.
 */
#define CHECK_FETCH(type, N, object, op, NEXT)                                               \
    do {                                                                                     \
        type seen = start, value = operand;                                                  \
        memcpy(object, &seen, N);                                                            \
        assert_true(abi___atomic_fetch_##op##_##N(object, value, __ATOMIC_SEQ_CST) == seen); \
        assert_true(abi___atomic_load_##N(object, __ATOMIC_ACQUIRE) == (type)(NEXT));        \
        memcpy(object, &seen, N);                                                            \
        assert_true(abi___atomic_##op##_fetch_##N(object, value, __ATOMIC_RELAXED) ==        \
                    (type)(NEXT));                                                           \
        assert_true(abi___atomic_load_##N(object, __ATOMIC_SEQ_CST) == (type)(NEXT));        \
    } while (0)

#define DEFINE_CHECK_SIZED(type, N)                                                          \
    static void check_fetches_##N(unsigned char *object, type start, type operand)           \
    {                                                                                        \
        CHECK_FETCH(type, N, object, add, seen + value);                                     \
        CHECK_FETCH(type, N, object, sub, seen - value);                                     \
        CHECK_FETCH(type, N, object, and, seen &value);                                      \
        CHECK_FETCH(type, N, object, or, seen | value);                                      \
        CHECK_FETCH(type, N, object, xor, seen ^ value);                                     \
        CHECK_FETCH(type, N, object, nand, ~(seen & value));                                 \
    }                                                                                        \
    static void check_sized_##N(unsigned char *object, type start, type operand)             \
    {                                                                                        \
        type expected = operand;                                                             \
        abi___atomic_store_##N(object, start, __ATOMIC_RELEASE);                             \
        assert_true(abi___atomic_load_##N(object, __ATOMIC_RELAXED) == start);               \
        assert_true(abi___atomic_exchange_##N(object, operand, __ATOMIC_ACQ_REL) == start);  \
        abi___atomic_store_##N(object, start, __ATOMIC_SEQ_CST);                             \
        assert_false(abi___atomic_compare_exchange_##N(object, &expected, operand,           \
                                                       __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
        assert_true(expected == start);                                                      \
        assert_true(abi___atomic_compare_exchange_##N(object, &expected, operand,            \
                                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));  \
        assert_true(abi___atomic_load_##N(object, __ATOMIC_SEQ_CST) == operand);             \
        assert_int_equal(stripes_written(), !is_lock_free(object, N));                       \
        check_fetches_##N(object, start, operand);                                           \
        memset(object, 0, N);                                                                \
        assert_false(abi___atomic_test_and_set_##N(object, __ATOMIC_ACQUIRE));               \
        assert_true(abi___atomic_test_and_set_##N(object, __ATOMIC_SEQ_CST));                \
        assert_int_equal(stripes_written(), !is_lock_free(object, N));                       \
        assert_int_equal(fake.n_calls, 0);                                                   \
    }

#endif
