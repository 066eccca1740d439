/* SPDX-License-Identifier: MIT */
#ifndef FW_ARGP_INTERNAL_H
#define FW_ARGP_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "argp.h"

/* The options and parsers of an argp and of its children, as they are tried. */
enum { FW_ARGP_PARSERS = 8, FW_ARGP_OPTIONS = 64 };

struct fw_argp_parser {
    const struct argp *argp;
    void *input;
    void *child_inputs[FW_ARGP_PARSERS];
};

struct fw_argp_known {
    const struct argp_option *option;
    unsigned parser; /* whose it is */
    int group;
};

struct fw_argp {
    unsigned parsers;
    unsigned options;
    struct fw_argp_parser parser[FW_ARGP_PARSERS];
    struct fw_argp_known option[FW_ARGP_OPTIONS];
};

/* Keys of the options that are there always. */
enum { FW_ARGP_HELP = '?', FW_ARGP_VERSION = 'V', FW_ARGP_USAGE = -3 };

static inline bool fw_argp_is_short(const struct argp_option *o)
{
    return o->key > ' ' && o->key < 127;
}

/* --help and --usage. */
void fw_argp_print_help(const struct fw_argp *a, const char *name);
void fw_argp_print_usage(const struct fw_argp *a, const char *name);

#endif
