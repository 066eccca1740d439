/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_WAITS_TABLE_H
#define FW_COMMAND_WAITS_TABLE_H

#include "command/print/print.h"
#include "model.h"

/* A view as a table with the places below each lock, or as JSON. */
struct table_options {
    unsigned locks;  /* rows, of locks and of others each; 0: all */
    unsigned places; /* below a lock; 0: all */
    unsigned frames; /* of a stack, in text; 0: all */
};

void table_show(const struct printer *p, const struct waits_view *v, const struct table_options *o);

/* The options that all commands with such a table have, beside 'l' for --locks. */
enum { TABLE_KEY_PLACES = 0x100, TABLE_KEY_FRAMES, TABLE_KEY_SORT, TABLE_KEYS_END };

/* Takes such an option; false: it is another one.  Ends the program, if its argument is bad. */
bool table_option(int key, const char *arg, struct table_options *o, enum waits_order *order);

#endif
