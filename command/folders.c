/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "command.h"

const char *command_folder(unsigned i)
{
    const char *const own = getenv("TMPDIR");
    const char *const all[] = {"/dev/shm", own != NULL && own[0] == '/' ? own : "/tmp", "/tmp"};

    return i < sizeof all / sizeof *all ? all[i] : NULL;
}
