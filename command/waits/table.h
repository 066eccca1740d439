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

/* Of a text such as "time": false, if it is none. */
bool table_order(const char *text, enum waits_order *order);

#endif
