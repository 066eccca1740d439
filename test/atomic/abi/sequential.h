/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_ATOMIC_SEQUENTIAL_H
#define FW_TEST_ATOMIC_SEQUENTIAL_H

#include <stdbool.h>

#include "abi.h"

/*
 * The functions that have no object of the caller's size: flags, fences, exceptions, and the
 * question whether an object is lock-free.  False, and a line on standard error, where something is
 * wrong.  (The others: calls.h.)
 */
bool answers_are_right(const struct abi *abi);

/* Ways to be wrong, of which each has to be noticed: a name, and the table that it spoils. */
struct wrong {
    const char *name;
    void (*spoil)(struct abi *abi);
};

extern const struct wrong wrongs[]; /* ended by a name NULL */

#endif
