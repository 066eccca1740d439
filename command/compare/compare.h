/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_COMPARE_COMPARE_H
#define FW_COMMAND_COMPARE_COMPARE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * furwock compare: one program, run again and again with the C library's locks and with furwock's
 * in turn.
 */
enum compare_side { COMPARE_OWN, COMPARE_FURWOCK, COMPARE_SIDES };

/* What a run took: seconds, and how often its threads went to sleep. */
struct compare_run {
    double seconds;
    double cpu_seconds;
    double sleeps; /* voluntary context switches */
};

struct comparison {
    char *const *words;
    char program[PATH_MAX], library[PATH_MAX], runtime[NAME_MAX];
    const char *policy;
    bool any_status; /* a run that fails counts, too */
    unsigned rounds;
    struct compare_run *runs[COMPARE_SIDES]; /* as many as rounds */
};

/* Runs the program once; ends this one with a line if it cannot, or the program fails. */
struct compare_run compare_once(const struct comparison *c, enum compare_side side);

#endif
