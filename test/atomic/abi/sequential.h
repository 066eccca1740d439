/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_ATOMIC_SEQUENTIAL_H
#define FW_TEST_ATOMIC_SEQUENTIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"

/*
 * Random operations, each also done by the sequential model.  What comes back, the object, and
 * everything around it and around the caller's buffers have to be as the model has it.  Objects
 * that can only be read are loaded, and compared with values that they do not have.
 * False, and a line on standard error, where something is wrong.
 */
bool property_holds(const struct abi *abi, bool is_read_only, uint64_t seed, unsigned operations);

/*
 * The same of the functions that have no object of the caller's size: flags, fences, exceptions,
 * and the question whether an object is lock-free.
 */
bool answers_are_right(const struct abi *abi);

/* Ways to be wrong, of which each has to be noticed: a name, and the table that it spoils. */
struct wrong {
    const char *name;
    void (*spoil)(struct abi *abi);
};

extern const struct wrong wrongs[]; /* ended by a name NULL */

#endif
