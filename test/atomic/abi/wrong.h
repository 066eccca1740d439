/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_ATOMIC_WRONG_H
#define FW_TEST_ATOMIC_WRONG_H

#include "abi.h"

/*
 * Ways to be wrong, of which each has to be noticed: a name, and the table that it spoils.
 */
struct wrong {
    const char *name;
    void (*spoil)(struct abi *abi);
};

extern const struct wrong wrongs[]; /* ended by a name NULL */

#endif
