/* SPDX-License-Identifier: MIT */
#ifndef FW_COUNTING_TABLE_H
#define FW_COUNTING_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "stat_file.h"

/*
 * The tables of stat_file.h: lock-free, safe in signal handlers and after fork, no calls to
 * anything else.
 */

/* The entry of this thread, found or claimed; NULL: there is no place left. */
struct fw_stat_thread_ *fw_stat_find_thread_(struct fw_stat_file_ *f, uint32_t thread);

/* Adds a wait that has ended.  True: it is the first one at this place. */
bool fw_stat_add_(struct fw_stat_file_ *f, const struct fw_stat_wait_ *wait);

/* Has anybody waited for it before?  True as well where there is no place left. */
bool fw_stat_knows_(struct fw_stat_file_ *f, uint64_t key);

/* Counts a chain of calls that led to a wait for that key.  True: it is a new one. */
bool fw_stat_add_chain_(struct fw_stat_file_ *f, uint64_t key, const uint64_t *frames,
                        unsigned depth);

#endif
