/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_ATOMIC_OPERATION_H
#define FW_TEST_ATOMIC_OPERATION_H

#include "abi.h"

/*
 * One call, to be done by a library or by the sequential model: memcpy, memcmp, and arithmetic.
 * LOAD, and all that answer with the object's value, leave it in `out`; COMPARE_EXCHANGE expects
 * what is in `out`, and stores `in`; all others take their operand from `in`.
 */
enum kind { LOAD, STORE, EXCHANGE, COMPARE_EXCHANGE, FETCH_MODIFY, MODIFY_FETCH, SET, N_KINDS };

enum { OPERATION_MAX = 4096 }; /* bytes of an object */

struct operation {
    enum kind kind;
    enum modify modify;            /* of FETCH_MODIFY and MODIFY_FETCH */
    const struct abi_sized *sized; /* NULL: the generic call; there is one of the first four only */
    size_t n;
    int order;
    int failure; /* the order when COMPARE_EXCHANGE fails */
};

extern const char *const kind_names[N_KINDS];

/* Both answer what COMPARE_EXCHANGE or SET answer; false for the others. */
bool imitate(const struct operation *o, unsigned char *object, const unsigned char *in,
             unsigned char *out);
bool perform(const struct operation *o, const struct abi *abi, void *object, const void *in,
             void *out);

/*
 * Starts a thread that does nothing, forever.  A library may do with less while the process has
 * one thread only, so that what one thread can see has to be looked at twice.
 */
void become_multithreaded(void);

#endif
