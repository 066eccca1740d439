/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_OBJECT_H
#define FW_ATOMIC_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Operations on an object of n bytes at any address, by the lock that guards it ("guard.h", of
 * which there is one for each variant of the library).  A load writes nothing but `out` unless a
 * writer is in its way for long.  Orders are those of the compilers (__ATOMIC_ACQUIRE, ...).
 */

/* How many times a load tries before it takes the lock. */
#ifndef FW_OBJECT_LOOKS_
#define FW_OBJECT_LOOKS_ 32u
#endif

/* A compare-exchange that fails does without the lock up to this many bytes. */
#ifndef FW_OBJECT_PEEK_
#define FW_OBJECT_PEEK_ 128u
#endif

/*
 * A compare-exchange that meets others at work backs off, for this many pauses, then
 * twice as many and so on: doc/design/atomics.md, "Backing off".
 */
#ifndef FW_OBJECT_PAUSES_
#define FW_OBJECT_PAUSES_ 10u
#define FW_OBJECT_PAUSES_MAX_ 160u
#endif

void fw_object_load_(const void *object, void *out, size_t n, int order);
void fw_object_store_(void *object, const void *value, size_t n, int order);

/* `out` may be `value`. */
void fw_object_exchange_(void *object, const void *value, void *out, size_t n, int order);

/*
 * If the object's bytes are those of `expected`, stores `value` and returns true; else puts what
 * it found into `expected`.  Never fails without a difference.
 */
bool fw_object_compare_exchange_(void *object, void *expected, const void *value, size_t n,
                                 int order, int failure);

#endif
