/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_H
#define FW_COMMAND_H

#include <stddef.h>

/*
 * The program `furwock`: a table of subcommands.
 *
 * A subcommand is a file NAME.c with a `struct command`, which main.c lists.  Its `run` gets the
 * words behind the name, with argv[0] as messages shall name it ("furwock calibrate"), parses them
 * with argp, and answers the exit status.
 */
enum {
    COMMAND_GOOD = 0,
    COMMAND_FAILED = 1, /* what was asked for cannot be done here */
    COMMAND_USAGE = 2   /* what was asked for makes no sense */
};

struct command {
    const char *name;
    const char *about; /* half a line, for the list of them */
    int (*run)(int argc, char **argv);
};

extern const struct command command_calibrate;
extern const struct command command_regions;
extern const struct command command_show;

/* "furwock calibrate: ..." on standard error, as printf; then the end of the program. */
void command_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
void command_refuse(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

#endif
