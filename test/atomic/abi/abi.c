/* SPDX-License-Identifier: MIT */
#include "abi.h"

#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

const char *const modify_names[N_MODIFY] = {"add", "sub", "and", "or", "xor", "nand"};

/* The functions, under names that mean nothing to a compiler. */
#define LINKED(name) __asm__("__atomic_" name)

void generic_load(size_t, const void *, void *, int) LINKED("load");
void generic_store(size_t, void *, const void *, int) LINKED("store");
void generic_exchange(size_t, void *, const void *, void *, int) LINKED("exchange");
bool generic_compare_exchange(size_t, void *, void *, const void *, int, int)
    LINKED("compare_exchange");
bool generic_is_lock_free(size_t, const void *) LINKED("is_lock_free");
void generic_raise(int) LINKED("feraiseexcept");
void generic_thread_fence(int) __asm__("atomic_thread_fence");
void generic_signal_fence(int) __asm__("atomic_signal_fence");
bool generic_flag_set(volatile void *) __asm__("atomic_flag_test_and_set");
bool generic_flag_set_explicit(volatile void *, int) __asm__("atomic_flag_test_and_set_explicit");
void generic_flag_clear(volatile void *) __asm__("atomic_flag_clear");
void generic_flag_clear_explicit(volatile void *, int) __asm__("atomic_flag_clear_explicit");

/* One operation that gives a value for an object and an operand. */
#define MODIFIER(n, type, name)                                                     \
    type raw_##name##_##n(void *, type, int) LINKED(#name "_" #n);                  \
    static void name##_##n(void *object, const void *operand, void *out, int order) \
    {                                                                               \
        type v;                                                                     \
                                                                                    \
        memcpy(&v, operand, n);                                                     \
        v = raw_##name##_##n(object, v, order);                                     \
        memcpy(out, &v, n);                                                         \
    }

#define SIZED(n, type)                                                                            \
    type raw_load_##n(const void *, int) LINKED("load_" #n);                                      \
    void raw_store_##n(void *, type, int) LINKED("store_" #n);                                    \
    bool raw_compare_exchange_##n(void *, void *, type, int, int) LINKED("compare_exchange_" #n); \
    bool raw_test_and_set_##n(void *, int) LINKED("test_and_set_" #n);                            \
    static void load_##n(const void *object, void *out, int order)                                \
    {                                                                                             \
        type v = raw_load_##n(object, order);                                                     \
                                                                                                  \
        memcpy(out, &v, n);                                                                       \
    }                                                                                             \
    static void store_##n(void *object, const void *value, int order)                             \
    {                                                                                             \
        type v;                                                                                   \
                                                                                                  \
        memcpy(&v, value, n);                                                                     \
        raw_store_##n(object, v, order);                                                          \
    }                                                                                             \
    static bool compare_exchange_##n(void *object, void *expected, const void *desired,           \
                                     int success, int failure)                                    \
    {                                                                                             \
        type e, v;                                                                                \
        bool was_equal;                                                                           \
                                                                                                  \
        memcpy(&e, expected, n);                                                                  \
        memcpy(&v, desired, n);                                                                   \
        was_equal = raw_compare_exchange_##n(object, &e, v, success, failure);                    \
        memcpy(expected, &e, n);                                                                  \
        return was_equal;                                                                         \
    }                                                                                             \
    MODIFIER(n, type, exchange)                                                                   \
    MODIFIER(n, type, fetch_add)                                                                  \
    MODIFIER(n, type, fetch_sub)                                                                  \
    MODIFIER(n, type, fetch_and)                                                                  \
    MODIFIER(n, type, fetch_or)                                                                   \
    MODIFIER(n, type, fetch_xor)                                                                  \
    MODIFIER(n, type, fetch_nand)                                                                 \
    MODIFIER(n, type, add_fetch)                                                                  \
    MODIFIER(n, type, sub_fetch)                                                                  \
    MODIFIER(n, type, and_fetch)                                                                  \
    MODIFIER(n, type, or_fetch)                                                                   \
    MODIFIER(n, type, xor_fetch)                                                                  \
    MODIFIER(n, type, nand_fetch)

SIZED(1, uint8_t)
SIZED(2, uint16_t)
SIZED(4, uint32_t)
SIZED(8, uint64_t)
SIZED(16, u128)

#define ROW(n)                                                                     \
    {                                                                              \
        .size = n, .load = load_##n, .store = store_##n, .exchange = exchange_##n, \
        .compare_exchange = compare_exchange_##n,                                  \
        .fetch_modify = {fetch_add_##n, fetch_sub_##n, fetch_and_##n,              \
                         fetch_or_##n,  fetch_xor_##n, fetch_nand_##n},            \
        .modify_fetch = {add_fetch_##n, sub_fetch_##n, and_fetch_##n,              \
                         or_fetch_##n,  xor_fetch_##n, nand_fetch_##n},            \
        .test_and_set = raw_test_and_set_##n,                                      \
    }

const struct abi linked_abi = {
    .load = generic_load,
    .store = generic_store,
    .exchange = generic_exchange,
    .compare_exchange = generic_compare_exchange,
    .is_lock_free = generic_is_lock_free,
    .sized = {ROW(1), ROW(2), ROW(4), ROW(8), ROW(16)},
    .raise_exceptions = generic_raise,
    .thread_fence = generic_thread_fence,
    .signal_fence = generic_signal_fence,
    .flag_test_and_set = generic_flag_set,
    .flag_test_and_set_explicit = generic_flag_set_explicit,
    .flag_clear = generic_flag_clear,
    .flag_clear_explicit = generic_flag_clear_explicit,
};
