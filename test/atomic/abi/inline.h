/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_ATOMIC_INLINE_H
#define FW_TEST_ATOMIC_INLINE_H

#include <stdbool.h>
#include <stddef.h>

/* Adds without a call: what the compiler has for objects of 1, 2, 4, 8 and perhaps 16 bytes.
 * False where it has nothing. */
bool inline_add(size_t n, void *object, const void *operand);

#endif
