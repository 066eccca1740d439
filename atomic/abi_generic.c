/* SPDX-License-Identifier: MIT */
/*
 * Objects of any size at any address: __atomic_load, _store, _exchange, _compare_exchange, and
 * __atomic_is_lock_free.
 *
 * How an object is handled depends on nothing but its address and its size (and the CPU), so
 * that all calls on it, and what compilers do without a call, agree:
 *
 *   1, 2, 4, 8 bytes, aligned to their size    the instructions that compilers use   (natural)
 *   within an aligned word of 8 bytes          compare-and-swap of that word         (word)
 *   within an aligned pair of 16 bytes         the same, if it can be done           (pair)
 *   all others                                 the lock of their address             (object.c)
 */
#include <string.h>

#include "abi.h"
#include "object.h"
#include "watch.h"
#include "within.h"

#define NATURAL(SIZE) (n == (SIZE) && fw_abi_is_aligned_(object, SIZE))
#define FOR_NATURAL_SIZES(X) X(8, uint64_t) X(4, uint32_t) X(2, uint16_t) X(1, uint8_t)

/* The pair, for what crosses the middle of it. */
static bool is_in_pair(const void *object, size_t n)
{
    return fw_is_within_(object, n, 16) && fw_pair_is_here_();
}

/* A whole pair, on a CPU that has all that it takes: these have a fast path. */
static inline bool is_quick_pair(const void *object, size_t n)
{
    return n == 16 && fw_abi_is_aligned_(object, 16) && fw_pair_is_quick_();
}

static inline fw_pair_ pair_of(const void *bytes)
{
    fw_pair_ pair;
    memcpy(&pair, bytes, 16);
    return pair;
}

/* Up to 16 bytes that are not natural, or for which there is no fast path. */
static void load_small(size_t n, const void *object, void *out, int order)
{
    if (n == 0)
        return;
    if (fw_is_within_(object, n, 8)) {
        fw_word_load_within_(object, out, n);
        fw_watch_acquire_(object, order);
    } else if (is_in_pair(object, n)) {
        fw_pair_load_within_(object, out, n);
        fw_watch_acquire_(object, order);
    } else {
        fw_object_load_(object, out, n, order);
    }
}

#define LOAD(SIZE, type)                                                     \
    if (NATURAL(SIZE)) {                                                     \
        type seen = __atomic_load_n((const type *)object, __ATOMIC_SEQ_CST); \
        memcpy(out, &seen, SIZE);                                            \
        return;                                                              \
    }

void fw_generic_load_(size_t n, const void *object, void *out, int order)
{
    if (n > 16) {
        fw_object_load_(object, out, n, order & FW_ABI_ORDER_MASK);
        return;
    }
    if (is_quick_pair(object, n)) {
        fw_pair_ seen = fw_pair_quick_load_(object);
        memcpy(out, &seen, 16);
        return;
    }
    FOR_NATURAL_SIZES(LOAD)
    load_small(n, object, out, order & FW_ABI_ORDER_MASK);
}

static void store_small(size_t n, void *object, const void *value, int order)
{
    if (n == 0)
        return;
    if (fw_is_within_(object, n, 8)) {
        fw_watch_release_(object, order);
        fw_word_change_within_(object, NULL, value, NULL, n);
    } else if (is_in_pair(object, n)) {
        fw_watch_release_(object, order);
        fw_pair_change_within_(object, NULL, value, NULL, n);
    } else {
        fw_object_store_(object, value, n, order);
    }
}

#define STORE(SIZE, type)                                             \
    if (NATURAL(SIZE)) {                                              \
        type mine;                                                    \
        memcpy(&mine, value, SIZE);                                   \
        if (fw_abi_is_weak_store_(order))                             \
            __atomic_store_n((type *)object, mine, __ATOMIC_RELEASE); \
        else                                                          \
            __atomic_store_n((type *)object, mine, __ATOMIC_SEQ_CST); \
        return;                                                       \
    }

void fw_generic_store_(size_t n, void *object, const void *value, int order)
{
    if (n > 16) {
        fw_object_store_(object, value, n, order & FW_ABI_ORDER_MASK);
        return;
    }
    if (is_quick_pair(object, n)) {
        fw_pair_quick_store_(object, pair_of(value), order & FW_ABI_ORDER_MASK);
        return;
    }
    FOR_NATURAL_SIZES(STORE)
    store_small(n, object, value, order & FW_ABI_ORDER_MASK);
}

static void exchange_small(size_t n, void *object, const void *value, void *out, int order)
{
    bool is_word = fw_is_within_(object, n, 8);

    if (n == 0)
        return;
    if (!is_word && !is_in_pair(object, n)) {
        fw_object_exchange_(object, value, out, n, order);
        return;
    }
    fw_watch_release_(object, order);
    if (is_word)
        fw_word_change_within_(object, NULL, value, out, n);
    else
        fw_pair_change_within_(object, NULL, value, out, n);
    fw_watch_acquire_(object, order);
}

#define EXCHANGE(SIZE, type)                                                \
    if (NATURAL(SIZE)) {                                                    \
        type mine, seen;                                                    \
        memcpy(&mine, value, SIZE);                                         \
        seen = __atomic_exchange_n((type *)object, mine, __ATOMIC_SEQ_CST); \
        memcpy(out, &seen, SIZE);                                           \
        return;                                                             \
    }

void fw_generic_exchange_(size_t n, void *object, const void *value, void *out, int order)
{
    if (n > 16) {
        fw_object_exchange_(object, value, out, n, order & FW_ABI_ORDER_MASK);
        return;
    }
    if (is_quick_pair(object, n)) {
        fw_pair_ mine = pair_of(value);
        fw_pair_ seen = fw_pair_quick_load_(object);
        while (!fw_pair_quick_cas_(object, &seen, mine)) /* any -> value */
            continue;
        memcpy(out, &seen, 16);
        return;
    }
    FOR_NATURAL_SIZES(EXCHANGE)
    exchange_small(n, object, value, out, order & FW_ABI_ORDER_MASK);
}

static bool compare_exchange_small(size_t n, void *object, void *expected, const void *value,
                                   int order, int failure)
{
    bool is_word = fw_is_within_(object, n, 8);
    bool done;

    if (n == 0)
        return true;
    if (!is_word && !is_in_pair(object, n))
        return fw_object_compare_exchange_(object, expected, value, n, order, failure);
    fw_watch_release_(object, order);
    done = is_word ? fw_word_change_within_(object, expected, value, expected, n)
                   : fw_pair_change_within_(object, expected, value, expected, n);
    fw_watch_acquire_(object, done ? order : failure);
    return done;
}

#define COMPARE_EXCHANGE(SIZE, type)                                                               \
    if (NATURAL(SIZE)) {                                                                           \
        type wanted, mine;                                                                         \
        bool done;                                                                                 \
        memcpy(&wanted, expected, SIZE);                                                           \
        memcpy(&mine, value, SIZE);                                                                \
        done = __atomic_compare_exchange_n((type *)object, &wanted, mine, false, __ATOMIC_SEQ_CST, \
                                           __ATOMIC_SEQ_CST);                                      \
        if (!done)                                                                                 \
            memcpy(expected, &wanted, SIZE);                                                       \
        return done;                                                                               \
    }

bool fw_generic_compare_exchange_(size_t n, void *object, void *expected, const void *value,
                                  int order, int failure)
{
    failure &= FW_ABI_ORDER_MASK;
    order = failure == __ATOMIC_SEQ_CST ? failure : order & FW_ABI_ORDER_MASK;
    if (n > 16)
        return fw_object_compare_exchange_(object, expected, value, n, order, failure);
    if (is_quick_pair(object, n)) {
        fw_pair_ seen = pair_of(expected);
        if (fw_pair_quick_cas_(object, &seen, pair_of(value))) /* expected -> value */
            return true;
        memcpy(expected, &seen, 16);
        return false;
    }
    FOR_NATURAL_SIZES(COMPARE_EXCHANGE)
    return compare_exchange_small(n, object, expected, value, order, failure);
}

/* --- The names of the ABI --------------------------------------------------------------------- */

FW_ABI(void, __atomic_load, (size_t n, const void *object, void *out, int order))
{
    fw_generic_load_(n, object, out, order);
}

FW_ABI(void, __atomic_store, (size_t n, void *object, const void *value, int order))
{
    fw_generic_store_(n, object, value, order);
}

FW_ABI(void, __atomic_exchange, (size_t n, void *object, const void *value, void *out, int order))
{
    fw_generic_exchange_(n, object, value, out, order);
}

FW_ABI(bool, __atomic_compare_exchange,
       (size_t n, void *object, void *expected, const void *value, int order, int failure))
{
    return fw_generic_compare_exchange_(n, object, expected, value, order, failure);
}

/*
 * An address of 0 stands for one that is well aligned, if the size tells what that is.  Returns
 * false for an object that is not aligned to its size, as compilers do, even if it lies within a
 * word: that is not to be relied on.
 */
FW_ABI(bool, __atomic_is_lock_free, (size_t n, const void *object))
{
    if (n == 0 || ((n & (n - 1)) == 0 ? !fw_abi_is_aligned_(object, n) : object == NULL))
        return false;
    return fw_is_within_(object, n, 8) || is_in_pair(object, n);
}
