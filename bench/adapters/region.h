/* SPDX-License-Identifier: MIT */
#ifndef FW_ADAPTERS_REGION_H
#define FW_ADAPTERS_REGION_H

#include <stddef.h>

#include <furwock/bits/api.h>

FW_BEGIN_DECLS

/*
 * Memory for objects that work nowhere but in a region (furwock/ipc/region.h).
 *
 * A process has one region for all of them, made at the first call; tasks that it forks share it.
 * What a forked process takes itself comes from a region of its own, so that it and its parent need
 * not agree on who takes what.
 */

/*
 * Zeroed memory of that size, on pages of its own.  NULL with errno: ENOMEM, or what kept the
 * region from being made.
 */
void *region_take(size_t size);

/* Gives it back; what a parent took stays the parent's, and the call does nothing. */
void region_give(void *memory, size_t size);

FW_END_DECLS

#endif
