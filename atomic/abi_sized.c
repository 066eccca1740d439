/* SPDX-License-Identifier: MIT */
/*
 * The calls for 1, 2, 4 and 8 bytes.  Compilers promise that such an object is aligned to its size;
 * if a program breaks that promise, it is handled as by the generic calls.
 *
 * All orders are taken as sequentially consistent, which on x86-64 costs nothing except for stores.
 */
#include "abi.h"

#define FW_SIZED(N, type)                                                                      \
    FW_ABI(type, __atomic_load_##N, (const void *object, int order))                           \
    {                                                                                          \
        type seen;                                                                             \
        if (__builtin_expect(fw_abi_is_aligned_(object, N), 1))                                \
            return __atomic_load_n((const type *)object, __ATOMIC_SEQ_CST);                    \
        fw_generic_load_(N, object, &seen, order);                                             \
        return seen;                                                                           \
    }                                                                                          \
    FW_ABI(void, __atomic_store_##N, (void *object, type value, int order))                    \
    {                                                                                          \
        if (__builtin_expect(!fw_abi_is_aligned_(object, N), 0))                               \
            fw_generic_store_(N, object, &value, order);                                       \
        else if (fw_abi_is_weak_store_(order))                                                 \
            __atomic_store_n((type *)object, value, __ATOMIC_RELEASE);                         \
        else                                                                                   \
            __atomic_store_n((type *)object, value, __ATOMIC_SEQ_CST);                         \
    }                                                                                          \
    FW_ABI(type, __atomic_exchange_##N, (void *object, type value, int order))                 \
    {                                                                                          \
        if (__builtin_expect(fw_abi_is_aligned_(object, N), 1))                                \
            return __atomic_exchange_n((type *)object, value, __ATOMIC_SEQ_CST);               \
        fw_generic_exchange_(N, object, &value, &value, order);                                \
        return value;                                                                          \
    }                                                                                          \
    FW_ABI(bool, __atomic_compare_exchange_##N,                                                \
           (void *object, void *expected, type value, int order, int failure))                 \
    {                                                                                          \
        if (__builtin_expect(fw_abi_is_aligned_(object, N), 1))                                \
            return __atomic_compare_exchange_n((type *)object, (type *)expected, value, false, \
                                               __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);            \
        return fw_generic_compare_exchange_(N, object, expected, &value, order, failure);      \
    }                                                                                          \
    /* The first byte is the flag. */                                                          \
    FW_ABI(bool, __atomic_test_and_set_##N, (void *object, int order))                         \
    {                                                                                          \
        (void)order;                                                                           \
        return __atomic_exchange_n((uint8_t *)object, 1, __ATOMIC_SEQ_CST) != 0;               \
    }

/* Both forms: with the value before, and with the value after. */
#define FW_FETCH(N, type, op, NEXT)                                                              \
    FW_ABI(type, __atomic_fetch_##op##_##N, (void *object, type value, int order))               \
    {                                                                                            \
        type seen, next;                                                                         \
        if (__builtin_expect(fw_abi_is_aligned_(object, N), 1))                                  \
            return __atomic_fetch_##op((type *)object, value, __ATOMIC_SEQ_CST);                 \
        fw_generic_load_(N, object, &seen, __ATOMIC_RELAXED);                                    \
        do                                                                                       \
            next = (type)(NEXT);                                                                 \
        while (!fw_generic_compare_exchange_(N, object, &seen, &next, order, __ATOMIC_RELAXED)); \
        return seen;                                                                             \
    }                                                                                            \
    FW_ABI(type, __atomic_##op##_fetch_##N, (void *object, type value, int order))               \
    {                                                                                            \
        type seen = fw_abi___atomic_fetch_##op##_##N(object, value, order);                      \
        return (type)(NEXT);                                                                     \
    }

#define FW_ALL(N, type)                  \
    FW_SIZED(N, type)                    \
    FW_FETCH(N, type, add, seen + value) \
    FW_FETCH(N, type, sub, seen - value) \
    FW_FETCH(N, type, and, seen &value)  \
    FW_FETCH(N, type, or, seen | value)  \
    FW_FETCH(N, type, xor, seen ^ value) \
    FW_FETCH(N, type, nand, ~(seen & value))

FW_ALL(1, uint8_t)
FW_ALL(2, uint16_t)
FW_ALL(4, uint32_t)
FW_ALL(8, uint64_t)
