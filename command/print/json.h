/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_PRINT_JSON_H
#define FW_COMMAND_PRINT_JSON_H

#include <jansson.h>

/* Prints the document on standard output, as all of --json are laid out, and frees it. */
void command_print_json(json_t *whole);

#endif
