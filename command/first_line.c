/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "command.h"

bool command_first_line(const char *path, char *line, size_t size)
{
    FILE *in = fopen(path, "re");
    bool is_read = in != NULL && fgets(line, (int)size, in) != NULL;

    if (in != NULL)
        fclose(in);
    if (is_read)
        line[strcspn(line, "\n")] = '\0';
    return is_read;
}
