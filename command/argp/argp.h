/* SPDX-License-Identifier: MIT */
#ifndef FW_ARGP_H
#define FW_ARGP_H

#include <errno.h>
#include <limits.h>
#include <stdio.h>

/*
 * <argp.h> for C libraries that have none: of GNU's interface what the program furwock uses, with
 * GNU's layout of the structures, so that the tests can put this in the place of glibc's.
 *
 * Not here: headers, aliases and hidden options; children with a header or a group of their own;
 * argp_help, argp_usage and argp_failure; hooks and all keys except those below; translation.
 */
typedef int error_t;

enum { OPTION_ARG_OPTIONAL = 0x1 };

/* `key` is the short option too if it is a printable character.  The last one is all 0. */
struct argp_option {
    const char *name; /* of the long option */
    int key;
    const char *arg; /* the name of its argument; NULL: none */
    int flags;
    const char *doc;
    int group; /* --help: groups in this order; 0: the group of the one before */
};

struct argp;
struct argp_state;

/* Returns 0, or ARGP_ERR_UNKNOWN if the key is not for it; other errors end argp_parse. */
typedef error_t (*argp_parser_t)(int key, char *arg, struct argp_state *state);

enum {
    ARGP_ERR_UNKNOWN = E2BIG,
    ARGP_KEY_ARG = 0, /* a word that is no option; state->next is the one behind it */
    ARGP_KEY_END = 0x1000001,
    ARGP_KEY_NO_ARGS = 0x1000002,
    ARGP_KEY_INIT = 0x1000003, /* before all others; sets state->child_inputs */
    ARGP_KEY_HELP_PRE_DOC = 0x2000001,
    ARGP_KEY_HELP_POST_DOC = 0x2000002
};

struct argp_child {
    const struct argp *argp;
    int flags;
    const char *header;
    int group;
};

struct argp {
    const struct argp_option *options;
    argp_parser_t parser;
    const char *args_doc;
    const char *doc; /* what stands before the options of --help, '\v', and what stands behind */
    const struct argp_child *children;
    char *(*help_filter)(int key, const char *text, void *input); /* of the two parts of doc */
    const char *argp_domain;
};

enum { ARGP_IN_ORDER = 0x8 }; /* words are not put behind the options */

struct argp_state {
    const struct argp *root_argp;
    int argc;
    char **argv;
    int next; /* where in argv parsing goes on; may be changed */
    unsigned flags;
    unsigned arg_num;
    int quoted; /* behind "--": where that begins */
    void *input;
    void **child_inputs;
    void *hook;
    char *name;
    FILE *err_stream;
    FILE *out_stream;
    void *pstate;
};

extern const char *argp_program_version; /* of the program */
extern error_t argp_err_exit_status;

error_t argp_parse(const struct argp *argp, int argc, char **argv, unsigned flags, int *index,
                   void *input);
void argp_error(const struct argp_state *state, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

#endif
