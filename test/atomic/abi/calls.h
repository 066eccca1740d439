/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_ATOMIC_CALLS_H
#define FW_TEST_ATOMIC_CALLS_H

#include "operation.h"

/*
 * Every call at every size and offset: what it does is what the sequential model does, and nothing
 * around the object, the operand or the result is changed or, beyond a page, read.
 */
struct calls {
    const struct abi *abi;
    bool is_read_only; /* objects that can only be read: loads, and comparisons that fail */
    bool misplaces;    /* calls for a size also where that is not the alignment */

    /* After each call; did it write?  NULL: nothing. */
    void (*after)(const struct operation *o, const unsigned char *object, bool writes);
};

/* False, and a line on standard error, where something is wrong. */
bool calls_are_right(const struct calls *c);

/* Those for objects of any size, of n bytes; those for one size. */
bool general_calls_are_right(const struct calls *c, size_t n);
bool sized_calls_are_right(const struct calls *c, const struct abi_sized *sized);

#endif
