/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_WITHIN_H
#define FW_ATOMIC_WITHIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "atomic_pair.h"

/*
 * Objects that lie within one aligned word of 8 bytes, or within one aligned pair of 16, without
 * being one: a load is a load of the whole, and whatever writes is a compare-and-swap of the whole,
 * in which the bytes around the object keep what they have.  No lock; and what others do to those
 * bytes by instructions of their own is never undone, since the compare-and-swap would fail.
 */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte is the lowest");

static inline bool fw_is_within_(const void *object, size_t n, size_t whole)
{
    return n <= whole && ((uintptr_t)object & (whole - 1)) + n <= whole;
}

/* n bytes (1 to 8) as a number, and back, without a call. */
static inline uint64_t fw_take_(const void *bytes, size_t n)
{
    const unsigned char *p = (const unsigned char *)bytes;
    uint32_t low4, high4;
    uint16_t low2, high2;

    if (n >= 4) {
        memcpy(&low4, p, 4);
        memcpy(&high4, p + n - 4, 4);
        return low4 | (uint64_t)high4 << 8 * (n - 4);
    }
    if (n >= 2) {
        memcpy(&low2, p, 2);
        memcpy(&high2, p + n - 2, 2);
        return low2 | (uint64_t)high2 << 8 * (n - 2);
    }
    return *p;
}

static inline void fw_put_(void *bytes, uint64_t value, size_t n)
{
    unsigned char *p = (unsigned char *)bytes;
    uint32_t low4 = (uint32_t)value;
    uint16_t low2 = (uint16_t)value;

    if (n >= 4) {
        uint32_t high4 = (uint32_t)(value >> 8 * (n - 4));
        memcpy(p, &low4, 4);
        memcpy(p + n - 4, &high4, 4);
    } else if (n >= 2) {
        uint16_t high2 = (uint16_t)(value >> 8 * (n - 2));
        memcpy(p, &low2, 2);
        memcpy(p + n - 2, &high2, 2);
    } else {
        *p = (unsigned char)value;
    }
}

/* The same for 1 to 16 bytes. */
static inline fw_pair_ fw_take_pair_(const void *bytes, size_t n)
{
    uint64_t low, high;

    if (n <= 8)
        return fw_take_(bytes, n);
    memcpy(&low, bytes, 8);
    memcpy(&high, (const char *)bytes + n - 8, 8);
    return low | (fw_pair_)high << 8 * (n - 8);
}

static inline void fw_put_pair_(void *bytes, fw_pair_ value, size_t n)
{
    uint64_t low = (uint64_t)value;

    if (n <= 8) {
        fw_put_(bytes, low, n);
    } else {
        uint64_t high = (uint64_t)(value >> 8 * (n - 8));
        memcpy(bytes, &low, 8);
        memcpy((char *)bytes + n - 8, &high, 8);
    }
}

static inline uint64_t fw_whole_load_word_(const void *word)
{
    return __atomic_load_n((const uint64_t *)word, __ATOMIC_SEQ_CST);
}

static inline bool fw_whole_cas_word_(void *word, uint64_t *expected, uint64_t value)
{
    return __atomic_compare_exchange_n((uint64_t *)word, expected, value, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

/* For WHOLE = word and pair: load, exchange and compare-and-swap of the n bytes within. */
#define FW_WITHIN(WHOLE, type, take, put, load, cas)                                            \
    static inline void *fw_##WHOLE##_around_(const void *object)                                \
    {                                                                                           \
        return (void *)((uintptr_t)object & ~(uintptr_t)(sizeof(type) - 1));                    \
    }                                                                                           \
    static inline unsigned fw_##WHOLE##_shift_(const void *object)                              \
    {                                                                                           \
        return 8 * (unsigned)((uintptr_t)object & (sizeof(type) - 1));                          \
    }                                                                                           \
    static inline type fw_##WHOLE##_mask_(size_t n)                                             \
    {                                                                                           \
        return (type) ~(type)0 >> 8 * (sizeof(type) - n);                                       \
    }                                                                                           \
    static inline void fw_##WHOLE##_load_within_(const void *object, void *out, size_t n)       \
    {                                                                                           \
        put(out, load(fw_##WHOLE##_around_(object)) >> fw_##WHOLE##_shift_(object), n);         \
    }                                                                                           \
    /* If `expected` is not NULL, only where the object is so; what was there goes to `out`. */ \
    static inline bool fw_##WHOLE##_change_within_(void *object, const void *expected,          \
                                                   const void *value, void *out, size_t n)      \
    {                                                                                           \
        void *whole = fw_##WHOLE##_around_(object);                                             \
        unsigned shift = fw_##WHOLE##_shift_(object);                                           \
        type mask = fw_##WHOLE##_mask_(n);                                                      \
        type mine = take(value, n);                                                             \
        type wanted = expected != NULL ? take(expected, n) : 0;                                 \
        type seen = load(whole);                                                                \
        for (;;) {                                                                              \
            type now = seen >> shift & mask;                                                    \
            if (expected != NULL && now != wanted) {                                            \
                put(out, now, n);                                                               \
                return false;                                                                   \
            }                                                                                   \
            if (cas(whole, &seen, (seen & ~(mask << shift)) | mine << shift)) {                 \
                if (expected == NULL && out != NULL)                                            \
                    put(out, now, n);                                                           \
                return true;                                                                    \
            }                                                                                   \
        }                                                                                       \
    }

FW_WITHIN(word, uint64_t, fw_take_, fw_put_, fw_whole_load_word_, fw_whole_cas_word_)
FW_WITHIN(pair, fw_pair_, fw_take_pair_, fw_put_pair_, fw_pair_load_, fw_pair_cas_)

#undef FW_WITHIN

#endif
