/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_ATOMIC_PROPERTY_H
#define FW_TEST_ATOMIC_PROPERTY_H

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

#endif
