/* SPDX-License-Identifier: MIT */
#include "json.h"

#include <stdio.h>

void command_print_json(json_t *whole)
{
    json_dumpf(whole, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(whole);
}
