/* SPDX-License-Identifier: MIT */
#ifndef FW_CORE_ATTRIBUTES_H
#define FW_CORE_ATTRIBUTES_H

/*
 * What keeps a fast path short: rare work is in functions of their own, so that it needs no frame
 * and no saved registers where it is not done.
 */

/* Hardly ever called: laid out elsewhere, too. */
#define COLD __attribute__((cold, noinline))

#define NOINLINE __attribute__((noinline))
#define ALWAYS_INLINE inline __attribute__((always_inline))

#endif
