/* SPDX-License-Identifier: MIT */
#ifndef FW_ATOMIC_WORDS_H
#define FW_ATOMIC_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* The operations on an object. */
enum call { CALL_LOAD, CALL_STORE, CALL_EXCHANGE, CALL_COMPARE_EXCHANGE, N_CALLS };

extern const char *const call_names[N_CALLS];

/*
 * One of them by the library's call for any size.  `value` is stored where the call stores; `out`
 * receives what was loaded, exchanged or expected.  True unless a compare-and-exchange fails.
 */
bool subject_do(enum call call, size_t n, void *object, void *out, const void *value, int order);

/*
 * The same by what a compiler makes of an atomic object of 1, 2, 4, 8 or 16 bytes at its natural
 * alignment: its own instructions, or the library's call for that size.  Programs mix these with
 * the generic calls on one object.
 */
bool word_do(enum call call, size_t n, void *object, void *out, const void *value);

/* Is there such a form for this object, and are the generic calls bound to agree with it? */
bool word_has_form(const void *object, size_t n);

/* For 16 bytes, by the instruction alone.  Only where word_pair_is_inline. */
bool word_pair_is_inline(void);
bool word_pair(enum call call, void *object, void *out, const void *value);

#endif
