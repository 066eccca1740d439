/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_ASSIST_ASSIST_H
#define FW_COMMAND_ASSIST_ASSIST_H

#include "bpf/running/loader.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * furwock assist: the program in the kernel that keeps the page of running threads
 * (src/sys/running_page.h) is started, stopped and looked at.  No process stays behind.
 *
 * Exit statuses are those of init scripts (LSB).  start and stop: 0 where things are as was asked
 * for, also where they were so before; 1 where that cannot be had here; 2 for what makes no sense.
 * status: 0 where it runs, and:
 */
enum {
    ASSIST_RUNS_NOT = 3,
    ASSIST_UNKNOWN = 4 /* it cannot be found out by this caller */
};

enum {
    ASSIST_LINE = 512,   /* bytes of a line that the loader leaves */
    ASSIST_READERS = 64, /* of who may read */
};

/* How a process becomes a participant: "all", or the system call by which it says so. */
const char *assist_registration_name(uint32_t registration);
const char *assist_readers_name(fw_assist_readers readers);

/* "root", "root and group furwock", "anybody". */
void assist_readers_text(fw_assist_readers readers, gid_t group, char text[ASSIST_READERS]);

/* The group by its name, else by its number.  Refuses. */
gid_t assist_find_group(const char *word);

/*
 * What there is now: as text or as JSON (`result`: what was done before, or NULL), on standard
 * output.  Returns the exit status of `furwock assist status`.
 */
int assist_show(bool as_json, const char *result);

#endif
