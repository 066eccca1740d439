/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_PRINT_MACHINE_H
#define FW_COMMAND_PRINT_MACHINE_H

#include "measure/machine.h"
#include "print.h"

/* The member "machine" of a document; nothing in text. */
void print_machine(const struct printer *p, const struct machine *m);

#endif
