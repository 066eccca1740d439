/* SPDX-License-Identifier: MIT */
/*
 * Copies of objects that are not whole words.  Contract: copy.h.  Which bytes go together depends
 * on the object's address only.
 */
#include "copy.h"

static size_t head_of(const void *object, size_t n)
{
    size_t head = -(uintptr_t)object & 7;
    return head < n ? head : n;
}

static size_t words_of(size_t n)
{
    return n & ~(size_t)7;
}

static void bytes_out(unsigned char *out, const unsigned char *object, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = fw_load8_relaxed(object + i);
}

void fw_copy_out_ragged_(void *out, const void *object, size_t n)
{
    unsigned char *to = (unsigned char *)out;
    const unsigned char *from = (const unsigned char *)object;
    size_t head = head_of(object, n);
    size_t words = words_of(n - head);

    bytes_out(to, from, head);
    fw_copy_out_words_(to + head, from + head, words / 8);
    bytes_out(to + head + words, from + head + words, n - head - words);
}

static void bytes_in(unsigned char *object, const unsigned char *value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fw_store8_relaxed(object + i, value[i]);
}

void fw_copy_in_ragged_(void *object, const void *value, size_t n)
{
    unsigned char *to = (unsigned char *)object;
    const unsigned char *from = (const unsigned char *)value;
    size_t head = head_of(object, n);
    size_t words = words_of(n - head);

    bytes_in(to, from, head);
    fw_copy_in_words_(to + head, from + head, words / 8);
    bytes_in(to + head + words, from + head + words, n - head - words);
}

static void bytes_swap(unsigned char *object, const unsigned char *value, unsigned char *out,
                       size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char byte = fw_load8_relaxed(object + i);
        fw_store8_relaxed(object + i, value[i]);
        out[i] = byte;
    }
}

void fw_copy_swap_ragged_(void *object, const void *value, void *out, size_t n)
{
    unsigned char *to = (unsigned char *)object;
    const unsigned char *from = (const unsigned char *)value;
    unsigned char *old = (unsigned char *)out;
    size_t head = head_of(object, n);
    size_t words = words_of(n - head);
    size_t tail = head + words;

    bytes_swap(to, from, old, head);
    fw_copy_swap_words_(to + head, from + head, old + head, words / 8);
    bytes_swap(to + tail, from + tail, old + tail, n - tail);
}

static bool bytes_are_equal(const unsigned char *object, const unsigned char *expected, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fw_load8_relaxed(object + i) != expected[i])
            return false;
    return true;
}

bool fw_copy_is_equal_ragged_(const void *object, const void *expected, size_t n)
{
    const unsigned char *now = (const unsigned char *)object;
    const unsigned char *wanted = (const unsigned char *)expected;
    size_t head = head_of(object, n);
    size_t words = words_of(n - head);
    size_t tail = head + words;

    return bytes_are_equal(now, wanted, head) &&
           fw_copy_is_equal_words_(now + head, wanted + head, words / 8) &&
           bytes_are_equal(now + tail, wanted + tail, n - tail);
}
