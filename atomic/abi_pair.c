/* SPDX-License-Identifier: MIT */
/*
 * The calls for 16 bytes: by one instruction if the CPU has it and the object is aligned,
 * else as the generic calls handle it.
 */
#include <string.h>

#include "abi.h"
#include "atomic_pair.h"
#include "watch.h"

/* ThreadSanitizer is told by the generic calls. */
static inline bool is_pair(const void *object)
{
    return __builtin_expect(fw_abi_is_aligned_(object, 16) && fw_pair_is_here_(), 1) &&
           !fw_is_watched_();
}

/*
 * As it is nearly always.  All else is a function of its own that is called in place of a return:
 * so nothing has to be saved for it.
 */
static inline bool is_quick(const void *object)
{
    return __builtin_expect(fw_abi_is_aligned_(object, 16), 1) && fw_pair_is_quick_();
}

__attribute__((noinline)) static fw_pair_ load_long(const void *object, int order)
{
    fw_pair_ seen;

    if (is_pair(object))
        return fw_pair_load_(object);
    fw_generic_load_(16, object, &seen, order);
    return seen;
}

FW_ABI(fw_pair_, __atomic_load_16, (const void *object, int order))
{
    return is_quick(object) ? fw_pair_quick_load_(object) : load_long(object, order);
}

__attribute__((noinline)) static void store_long(void *object, fw_pair_ value, int order)
{
    if (is_pair(object))
        fw_pair_store_(object, value, order & FW_ABI_ORDER_MASK);
    else
        fw_generic_store_(16, object, &value, order);
}

FW_ABI(void, __atomic_store_16, (void *object, fw_pair_ value, int order))
{
    if (is_quick(object))
        fw_pair_quick_store_(object, value, order & FW_ABI_ORDER_MASK);
    else
        store_long(object, value, order);
}

__attribute__((noinline)) static fw_pair_ exchange_long(void *object, fw_pair_ value, int order)
{
    if (is_pair(object)) {
        fw_pair_ seen = fw_pair_load_(object);
        while (!fw_pair_cas_(object, &seen, value)) /* any -> value */
            continue;
        return seen;
    }
    fw_generic_exchange_(16, object, &value, &value, order);
    return value;
}

FW_ABI(fw_pair_, __atomic_exchange_16, (void *object, fw_pair_ value, int order))
{
    if (is_quick(object)) {
        fw_pair_ seen = fw_pair_quick_load_(object);
        while (!fw_pair_quick_cas_(object, &seen, value)) /* any -> value */
            continue;
        return seen;
    }
    return exchange_long(object, value, order);
}

__attribute__((noinline)) static bool compare_exchange_long(void *object, void *expected,
                                                            fw_pair_ value, int order, int failure)
{
    fw_pair_ seen;

    if (!is_pair(object))
        return fw_generic_compare_exchange_(16, object, expected, &value, order, failure);
    memcpy(&seen, expected, 16);
    if (fw_pair_cas_(object, &seen, value)) /* expected -> value */
        return true;
    memcpy(expected, &seen, 16);
    return false;
}

FW_ABI(bool, __atomic_compare_exchange_16,
       (void *object, void *expected, fw_pair_ value, int order, int failure))
{
    if (is_quick(object)) {
        fw_pair_ seen;
        memcpy(&seen, expected, 16);
        if (fw_pair_quick_cas_(object, &seen, value)) /* expected -> value */
            return true;
        memcpy(expected, &seen, 16);
        return false;
    }
    return compare_exchange_long(object, expected, value, order, failure);
}

/* The first byte is the flag. */
FW_ABI(bool, __atomic_test_and_set_16, (void *object, int order))
{
    (void)order;
    return __atomic_exchange_n((uint8_t *)object, 1, __ATOMIC_SEQ_CST) != 0;
}

/* One step of a loop: seen -> next, if it is still as seen; else sees anew. */
static inline bool step(void *object, fw_pair_ *seen, fw_pair_ next, int order)
{
    if (is_pair(object))
        return fw_pair_cas_(object, seen, next);
    return fw_generic_compare_exchange_(16, object, seen, &next, order, __ATOMIC_RELAXED);
}

/* Both forms: with the value before, and with the value after. */
#define FW_FETCH(op, NEXT)                                                                \
    FW_ABI(fw_pair_, __atomic_fetch_##op##_16, (void *object, fw_pair_ value, int order)) \
    {                                                                                     \
        fw_pair_ seen = fw_abi___atomic_load_16(object, __ATOMIC_RELAXED);                \
        while (!step(object, &seen, (NEXT), order))                                       \
            continue;                                                                     \
        return seen;                                                                      \
    }                                                                                     \
    FW_ABI(fw_pair_, __atomic_##op##_fetch_16, (void *object, fw_pair_ value, int order)) \
    {                                                                                     \
        fw_pair_ seen = fw_abi___atomic_fetch_##op##_16(object, value, order);            \
        return (NEXT);                                                                    \
    }

FW_FETCH(add, seen + value)
FW_FETCH(sub, seen - value)
FW_FETCH(and, seen &value)
FW_FETCH(or, seen | value)
FW_FETCH(xor, seen ^ value)
FW_FETCH(nand, ~(seen &value))
