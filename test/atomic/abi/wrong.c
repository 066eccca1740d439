/* SPDX-License-Identifier: MIT */
#include "sequential.h"

#include <string.h>

enum { LARGE = 64, WORD = 8 };

static void store_short(size_t n, void *object, const void *value, int order)
{
    (void)order;
    memcpy(object, value, n > LARGE ? n - 1 : n);
}

static void store_whole_words(size_t n, void *object, const void *value, int order)
{
    unsigned char word[WORD] = {0};

    if (n >= WORD) {
        linked_abi.store(n, object, value, order);
        return;
    }
    memcpy(word, value, n);
    memcpy(object, word, n > WORD / 2 ? WORD : n);
}

static void load_beyond(size_t n, const void *object, void *out, int order)
{
    linked_abi.load(n, object, out, order);
    if (n > LARGE)
        ((unsigned char *)out)[n] = 0;
}

static void load_writes(size_t n, const void *object, void *out, int order)
{
    volatile unsigned char *at = (unsigned char *)object;

    linked_abi.load(n, object, out, order);
    if (n > LARGE)
        *at = *at;
}

static void exchange_forgets(size_t n, void *object, const void *value, void *out, int order)
{
    (void)order; /* value and out may be the same */
    memcpy(out, object, n);
    memcpy(object, value, n);
}

static bool compare_keeps_expected(size_t n, void *object, void *expected, const void *desired,
                                   int success, int failure)
{
    (void)success;
    (void)failure;
    if (memcmp(object, expected, n) != 0)
        return false;
    memcpy(object, desired, n);
    return true;
}

static bool compare_without_last(size_t n, void *object, void *expected, const void *desired,
                                 int success, int failure)
{
    unsigned char *e = expected;

    if (n > 1)
        e[n - 1] = ((unsigned char *)object)[n - 1];
    return linked_abi.compare_exchange(n, object, expected, desired, success, failure);
}

static bool compare_writes_when_unequal(size_t n, void *object, void *expected, const void *desired,
                                        int success, int failure)
{
    bool was_equal = linked_abi.compare_exchange(n, object, expected, desired, success, failure);

    if (!was_equal && n > LARGE)
        memcpy(object, expected, n);
    return was_equal;
}

static bool compare_refuses_nothing(size_t n, void *object, void *expected, const void *desired,
                                    int success, int failure)
{
    return linked_abi.compare_exchange(n, object, expected, desired, success, failure) && n > 0;
}

static bool set_answers_after(void *object, int order)
{
    return linked_abi.sized[0].test_and_set(object, order) | true;
}

#define SPOIL(name, statement)              \
    static void spoil_##name(struct abi *a) \
    {                                       \
        statement;                          \
    }

SPOIL(store_short, a->store = store_short)
SPOIL(store_words, a->store = store_whole_words)
SPOIL(load_beyond, a->load = load_beyond)
SPOIL(load_writes, a->load = load_writes)
SPOIL(exchange, a->exchange = exchange_forgets)
SPOIL(keeps_expected, a->compare_exchange = compare_keeps_expected)
SPOIL(without_last, a->compare_exchange = compare_without_last)
SPOIL(writes_unequal, a->compare_exchange = compare_writes_when_unequal)
SPOIL(nothing, a->compare_exchange = compare_refuses_nothing)
SPOIL(set, a->sized[0].test_and_set = set_answers_after)
SPOIL(wide, a->sized[2] = a->sized[3]; a->sized[2].size = 4)
SPOIL(before, a->sized[4].modify_fetch[MODIFY_ADD] = a->sized[4].fetch_modify[MODIFY_ADD])
SPOIL(after, a->sized[1].fetch_modify[MODIFY_XOR] = a->sized[1].modify_fetch[MODIFY_XOR])
SPOIL(nand, a->sized[2].fetch_modify[MODIFY_NAND] = a->sized[2].fetch_modify[MODIFY_AND])
SPOIL(half, a->sized[4].fetch_modify[MODIFY_SUB] = a->sized[3].fetch_modify[MODIFY_SUB])
SPOIL(sized_store, a->sized[4].store = a->sized[3].store)
SPOIL(sized_load, a->sized[2].load = a->sized[3].load)

const struct wrong wrongs[] = {
    {"a large store leaves the last byte out", spoil_store_short},
    {"a store writes whole words", spoil_store_words},
    {"a load writes behind the caller's buffer", spoil_load_beyond},
    {"a load writes to the object", spoil_load_writes},
    {"an exchange reads its operand after writing its result", spoil_exchange},
    {"a failed comparison does not write back", spoil_keeps_expected},
    {"a comparison leaves the last byte out", spoil_without_last},
    {"a failed comparison writes to the object", spoil_writes_unequal},
    {"nothing differs from nothing", spoil_nothing},
    {"test-and-set answers what it has set", spoil_set},
    {"a function of 4 bytes works on 8", spoil_wide},
    {"add_fetch answers as fetch_add", spoil_before},
    {"fetch_xor answers as xor_fetch", spoil_after},
    {"nand is and", spoil_nand},
    {"a subtraction has no carry", spoil_half},
    {"a store of 16 bytes is one of 8", spoil_sized_store},
    {"a load of 4 bytes is one of 8", spoil_sized_load},
    {NULL, NULL},
};
