/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_H
#define FW_COMMAND_H

#include <argp.h>
#include <stddef.h>
#include <stdlib.h>

/*
 * The program `furwock`: a table of subcommands.
 *
 * A subcommand is a directory NAME/; NAME/NAME.c has its `struct command`, which main.c lists.  Its
 * `run` gets the words behind the name, with argv[0] as messages name it ("furwock calibrate"),
 * parses them with argp, and returns the exit status.
 */
/* Exit statuses beside EXIT_SUCCESS. */
enum {
    COMMAND_FAILED = 1, /* what was asked for cannot be done here */
    COMMAND_USAGE = 2   /* what was asked for makes no sense */
};

struct command {
    const char *name;
    const char *about; /* half a line, for the list of them */
    int (*run)(int argc, char **argv);
};

extern const struct command command_assist;
extern const struct command command_calibrate;
extern const struct command command_doctor;
extern const struct command command_regions;
extern const struct command command_rt;
extern const struct command command_run;
extern const struct command command_show;

/* The exit status where standard output cannot be written, which is seen to at the end of all. */
extern int command_write_failed;

/* From now on messages are of this one, a subcommand's own subcommand; the text stays there. */
void command_named(const char *name);

/* "furwock calibrate: ..." on standard error, as printf; then the end of the program. */
void command_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void command_die(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

/*
 * For argp, of a command line that begins with a word of ours: the word and what follows it are not
 * its.  Its input is an int: where the word stands, or what it was before.
 */
error_t command_parse_first(int key, char *arg, struct argp_state *state);

#endif
