/* SPDX-License-Identifier: MIT */
#ifndef FW_COUNTING_PLACE_H
#define FW_COUNTING_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stat_file.h"

/*
 * Where this process counts.  The file is made when the library is loaded, since later the process
 * may have become another user, or have its root elsewhere; a forked child makes its own when it
 * first waits, and is not counted where it cannot.
 */

/* The file of this process, another one in each of its lives (sys/fork.h); NULL: there is none. */
struct fw_stat_file_ *fw_stat_file_here_(void);

/* Sees to it that a copy of the memory map covers these return addresses (0: none). */
void fw_stat_cover_(uint64_t site, uint64_t other);

/* name.c: the names that locks have so far, into a file that has room now. */
void fw_stat_copy_names_(struct fw_stat_file_ *f);

#endif
