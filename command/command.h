/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_H
#define FW_COMMAND_H

#include <argp.h>
#include <stdbool.h>
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
extern const struct command command_compare;
extern const struct command command_doctor;
extern const struct command command_kernel;
extern const struct command command_record;
extern const struct command command_regions;
extern const struct command command_report;
extern const struct command command_rt;
extern const struct command command_run;
extern const struct command command_show;
extern const struct command command_top;
extern const struct command command_who;

/* The exit status where standard output cannot be written, which is seen to at the end of all. */
extern int command_write_failed;

/* From now on messages are of this one, a subcommand's own subcommand; the text stays there. */
void command_named(const char *name);

/* "furwock calibrate: ..." on standard error, as printf; then the end of the program. */
void command_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void command_die(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

/* The program's subcommands, or those of one of them. */
struct command_table {
    const char *kind; /* in messages: "subcommand" */
    bool has_help;    /* "help" is one, too */
    size_t count;
    const struct command *const *commands;
};

/* The one with this name; without such a one, ends the program and says which there are. */
const struct command *command_find(const struct command_table *t, const char *wanted);

/* For a help filter of argp: behind the text of --help stands the list of them. */
char *command_list(const struct command_table *t, int key, const char *text, const char *title);

/*
 * Of a subcommand that takes one of these words, up to NULL: which it is that was given.  Ends the
 * program, and says which there are, if it is none of them, or NULL.
 */
size_t command_action(const char *const *words, const char *given);

/*
 * For argp, of a command line that begins with a word of ours: the word and what follows it are not
 * its.  Its input is an int: where the word stands, or what it was before.
 */
error_t command_parse_first(int key, char *arg, struct argp_state *state);

/* For argp, at an ARGP_KEY_ARG of others: the same; returns where the word stands. */
int command_first_word(struct argp_state *state);

/* For argp, at an ARGP_KEY_ARG: where only options may be. */
void command_die_of_word(const char *word) __attribute__((noreturn));

/* For argp: an option of many subcommands. */
#define COMMAND_JSON_OPTION                   \
    {                                         \
        "json", 'j', NULL, 0, "print JSON", 0 \
    }

/* The same as command_parse_first of a command line that is one name at most, and --json. */
struct command_target {
    const char *kind; /* in messages: "region" */
    const char *name; /* NULL: none is given */
    bool as_json;
};

extern const struct argp_option command_target_options[];
error_t command_parse_target(int key, char *arg, struct argp_state *state);

/* The first line of a file, without its end; false: it cannot be read. */
bool command_first_line(const char *path, char *line, size_t size);

/* Where files of a run may go, the best first: in memory, then TMPDIR, /tmp.  NULL: no more. */
const char *command_folder(unsigned i);

#endif
