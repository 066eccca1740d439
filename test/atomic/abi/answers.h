/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_ATOMIC_ANSWERS_H
#define FW_TEST_ATOMIC_ANSWERS_H

#include <stdbool.h>

#include "abi.h"

/* The functions that have no object of the caller's size: flags, fences, exceptions, and the
 * question whether an object is lock-free.  False, and a line, where something is wrong. */
bool answers_are_right(const struct abi *abi);

#endif
