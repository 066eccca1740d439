/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_ATOMIC_BESIDE_H
#define FW_TEST_ATOMIC_BESIDE_H

#include "operation.h"

/*
 * Two operations on one object, of which one comes in the middle of the other: `mine` stores MINE
 * (if it stores anything; it expects OLD), the other one loads, or stores THEIRS.  All bytes of a
 * value are alike, so that a mixture shows.
 */
enum { OLD = 0x11, MINE = 0x22, THEIRS = 0x33, TORN = 0 };

/* What the bytes are, or TORN. */
unsigned char whole(const unsigned char *bytes, size_t n);

/* Does one of the two orders explain what `mine` answered and saw, and what is there in the end? */
bool is_explained_beside_store(enum kind mine, bool answer, unsigned char saw, unsigned char end);

/* The same, for what the other one's load has seen. */
bool is_explained_beside_load(enum kind mine, bool answer, unsigned char saw, unsigned char end,
                              unsigned char they_saw);

#endif
