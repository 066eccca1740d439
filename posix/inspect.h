/* SPDX-License-Identifier: MIT */
#ifndef FW_POSIX_INSPECT_H
#define FW_POSIX_INSPECT_H

#include <stdbool.h>
#include <stddef.h>

#include "stat_file.h"
#include "stat_what.h"

/*
 * What a tool may read of a program on the drop-in that counts (furwock run --stat): this is the
 * only header of posix/ that it includes.  stat_file.h is the format of the file, stat_what.h says
 * what a lock is.
 */

/*
 * Makes a copy of a file fit to be read: the last wait of each thread is added to the tables, and
 * whatever the process has written, no index leads out of them, and texts end.  False: it is no
 * such file.
 */
bool fw_inspect_file_(struct fw_stat_file_ *f);

/* "mutex, recursive, robust"; of a condition variable, "condition". */
void fw_inspect_kind_(const struct fw_stat_lock_ *l, char *text, size_t size);

#endif
