/* SPDX-License-Identifier: MIT */
/* Objects of others.  Contract: foreign.h. */
#include "foreign.h"

#include <stdio.h>
#include <stdlib.h>

#include "sys/say.h"

void fw_posix_foreign_(const char *what, const void *object)
{
    char line[200];

    snprintf(line, sizeof line, "%s at %p was made by a process that runs without furwock", what,
             object);
    fw_say_(line);
    abort();
}
