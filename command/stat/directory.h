/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_STAT_DIRECTORY_H
#define FW_COMMAND_STAT_DIRECTORY_H

#include <limits.h>
#include <stdbool.h>

/*
 * The directory into which the processes of a run count (posix/stat_file.h).  It is locked
 * (flock) for as long as furwock run lives: one that nobody has locked was left by a furwock run
 * that was killed, and is removed by the next one of the same user.
 */

/* Makes a new one, and removes what was left.  False: errno says why not. */
bool run_stat_make_directory(char path[PATH_MAX]);

/* Removes it, with all that is in it. */
void run_stat_remove_directory(const char *path);

#endif
