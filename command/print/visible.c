/* SPDX-License-Identifier: MIT */
#include "visible.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* How many bytes the character has that begins so; 0: none does. */
static size_t length_of(unsigned char first)
{
    if (first < 0x80)
        return 1;
    return first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
}

/* The character of that length, or UINT32_MAX: its bytes are not all there.  Stops at a 0. */
static uint32_t decode(const unsigned char *bytes, size_t length)
{
    uint32_t c = length == 1 ? bytes[0] : bytes[0] & (0x7fu >> length);

    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return UINT32_MAX;
        c = c << 6 | (bytes[i] & 0x3fu);
    }
    return c;
}

static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

/* Longer than it needs to be, a half of a pair of UTF-16, or beyond the last one. */
static bool is_none(uint32_t c, size_t length)
{
    return (length == 3 && c < 0x800) || (length == 4 && c < 0x10000) ||
           (c >= 0xd800 && c < 0xe000) || c > 0x10ffff;
}

char *visible(char *text)
{
    char *to = text;

    for (const char *from = text; *from != '\0';) {
        size_t length = length_of((unsigned char)*from);
        uint32_t c = length != 0 ? decode((const unsigned char *)from, length) : UINT32_MAX;
        if (is_none(c, length)) {
            *to++ = '?';
            from++;
            continue;
        }
        if (is_control(c))
            *to++ = '?';
        else {
            memmove(to, from, length);
            to += length;
        }
        from += length;
    }
    *to = '\0';
    return text;
}
