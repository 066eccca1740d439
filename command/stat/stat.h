/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_STAT_STAT_H
#define FW_COMMAND_STAT_STAT_H

#include <stdbool.h>

/* What was asked for with furwock run --stat. */
struct run_stat_options {
    const char *program;      /* the file that is executed; argv[0] need not be one */
    const char *file;         /* where the figures go; NULL: standard error */
    bool as_json;             /* JSON instead of the table */
    bool is_live;             /* every second, too */
    bool checks;              /* how locks are used; what is found is shown, and status RUN_FOUND */
    bool counts;              /* shows who waited */
    const char *suppressions; /* a file; NULL: none */
    bool is_impatient;        /* does not wait for what the program leaves behind */
};

/*
 * Runs the program with these words, waits for its end and for that of all that it has started, and
 * shows which locks they waited for.  (After SIGINT, SIGTERM, SIGHUP or SIGQUIT it waits
 * for the program only.)  The environment is the one that the program shall have (LD_PRELOAD names
 * the library that counts), except FURWOCK_STAT, which is added here.
 *
 * Returns the exit status: RUN_FOUND if something was found and the program ended with 0; else the
 * program's, 128 + n after signal n; RUN_CANNOT or RUN_NOT_FOUND where
 * it could not be executed, after run_execute's line.
 */
int run_stat_(const struct run_stat_options *o, char **argv);

#endif
