/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_WHO_PRINT_WHO_H
#define FW_COMMAND_WHO_PRINT_WHO_H

#include "command/print/print.h"
#include "who.h"

/* deadlocks.c: what was found, in words; nothing in JSON. */
void who_print_summary(const struct printer *p, const struct who *w);
void who_print_deadlocks(const struct printer *p, const struct who *w);

#endif
