/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_COPY_H
#define FW_ATOMIC_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <furwock/bits/atomic.h>

/*
 * Copies to and from an atomic object, at any address and of any size: its words are accessed by
 * relaxed atomic operations, since a reader may copy while a writer writes (it finds that out
 * afterwards).  What the caller passes (a value, an expected value, space for the result) is
 * ordinary memory.
 *
 * Most objects are whole words at addresses that are multiples of 8.  For the others (copy.c): the
 * bytes up to the next such address, then words, then the bytes that are left.
 */
static inline bool fw_is_words_(const void *object, size_t n)
{
    return __builtin_expect((((uintptr_t)object | n) & 7) == 0, 1);
}

void fw_copy_out_ragged_(void *out, const void *object, size_t n);
void fw_copy_in_ragged_(void *object, const void *value, size_t n);
void fw_copy_swap_ragged_(void *object, const void *value, void *out, size_t n);
bool fw_copy_is_equal_ragged_(const void *object, const void *expected, size_t n);

static inline uint64_t fw_object_get_(const void *object, size_t i)
{
    return fw_load64_relaxed((const fw_word_ *)object + i);
}

static inline void fw_object_set_(void *object, size_t i, uint64_t word)
{
    fw_store64_relaxed((fw_word_ *)object + i, word);
}

static inline uint64_t fw_bytes_get_(const void *bytes, size_t i)
{
    uint64_t word;
    memcpy(&word, (const char *)bytes + 8 * i, 8);
    return word;
}

static inline void fw_bytes_set_(void *bytes, size_t i, uint64_t word)
{
    memcpy((char *)bytes + 8 * i, &word, 8);
}

/* Four words at a time, then one by one: worth a nanosecond or two at 32 bytes. */

/* object -> out */
static inline void fw_copy_out_words_(void *out, const void *object, size_t words)
{
    size_t i = 0;

    for (; i + 4 <= words; i += 4) {
        uint64_t a = fw_object_get_(object, i);
        uint64_t b = fw_object_get_(object, i + 1);
        uint64_t c = fw_object_get_(object, i + 2);
        uint64_t d = fw_object_get_(object, i + 3);
        fw_bytes_set_(out, i, a);
        fw_bytes_set_(out, i + 1, b);
        fw_bytes_set_(out, i + 2, c);
        fw_bytes_set_(out, i + 3, d);
    }
    for (; i < words; i++)
        fw_bytes_set_(out, i, fw_object_get_(object, i));
}

static inline void fw_copy_out_(void *out, const void *object, size_t n)
{
    if (fw_is_words_(object, n))
        fw_copy_out_words_(out, object, n / 8);
    else
        fw_copy_out_ragged_(out, object, n);
}

/* value -> object */
static inline void fw_copy_in_words_(void *object, const void *value, size_t words)
{
    size_t i = 0;

    for (; i + 4 <= words; i += 4) {
        fw_object_set_(object, i, fw_bytes_get_(value, i));
        fw_object_set_(object, i + 1, fw_bytes_get_(value, i + 1));
        fw_object_set_(object, i + 2, fw_bytes_get_(value, i + 2));
        fw_object_set_(object, i + 3, fw_bytes_get_(value, i + 3));
    }
    for (; i < words; i++)
        fw_object_set_(object, i, fw_bytes_get_(value, i));
}

static inline void fw_copy_in_(void *object, const void *value, size_t n)
{
    if (fw_is_words_(object, n))
        fw_copy_in_words_(object, value, n / 8);
    else
        fw_copy_in_ragged_(object, value, n);
}

/* One word; out may be value. */
static inline void fw_copy_swap_word_(void *object, const void *value, void *out, size_t i)
{
    uint64_t old = fw_object_get_(object, i);
    fw_object_set_(object, i, fw_bytes_get_(value, i)); /* F:swap-loses-value */
    fw_bytes_set_(out, i, old);
}

/* object -> out and value -> object, word by word. */
static inline void fw_copy_swap_words_(void *object, const void *value, void *out, size_t words)
{
    size_t i = 0;

    for (; i + 4 <= words; i += 4) {
        fw_copy_swap_word_(object, value, out, i);
        fw_copy_swap_word_(object, value, out, i + 1);
        fw_copy_swap_word_(object, value, out, i + 2);
        fw_copy_swap_word_(object, value, out, i + 3);
    }
    for (; i < words; i++)
        fw_copy_swap_word_(object, value, out, i);
}

static inline void fw_copy_swap_(void *object, const void *value, void *out, size_t n)
{
    if (fw_is_words_(object, n))
        fw_copy_swap_words_(object, value, out, n / 8);
    else
        fw_copy_swap_ragged_(object, value, out, n);
}

static inline uint64_t fw_copy_differs_(const void *object, const void *expected, size_t i)
{
    return fw_object_get_(object, i) ^ fw_bytes_get_(expected, i);
}

/*
 * Are the object's bytes those of `expected`?  Certain only if no thread writes, as under the
 * object's lock.
 */
static inline bool fw_copy_is_equal_words_(const void *object, const void *expected, size_t words)
{
    size_t i = 0;

    for (; i + 4 <= words; i += 4)
        if ((fw_copy_differs_(object, expected, i) | fw_copy_differs_(object, expected, i + 1) |
             fw_copy_differs_(object, expected, i + 2) |
             fw_copy_differs_(object, expected, i + 3)) != 0)
            return false;
    for (; i < words; i++)
        if (fw_copy_differs_(object, expected, i) != 0)
            return false;
    return true;
}

static inline bool fw_copy_is_equal_(const void *object, const void *expected, size_t n)
{
    return fw_is_words_(object, n) ? fw_copy_is_equal_words_(object, expected, n / 8)
                                   : fw_copy_is_equal_ragged_(object, expected, n);
}

#endif
