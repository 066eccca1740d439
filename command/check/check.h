/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_CHECK_CHECK_H
#define FW_COMMAND_CHECK_CHECK_H

#include "command/print/print.h"
#include "command/stat/read.h"

/*
 * What furwock run --check shows of a reading: the findings of all processes, except those that the
 * list of suppressions names.
 */

/* Lines "KIND PATTERN...", read from a file. */
struct suppressions;

/* NULL: none.  Ends the program with RUN_FAILED if the file cannot be read or understood. */
struct suppressions *suppressions_read(const char *path);
void suppressions_free(struct suppressions *s);

/* The name of the kind, as in those lines and in JSON; NULL: there is no such kind. */
const char *check_kind_name(unsigned kind);

/* Does a line name that finding?  Each of its patterns is that of one of the names. */
bool suppressions_cover(struct suppressions *s, const char *kind, char *const *names,
                        unsigned count);

/* Prints them; returns how many there are, without those that are suppressed. */
unsigned check_print(const struct printer *p, const struct stat_reading *r, struct suppressions *s);

#endif
