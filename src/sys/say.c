/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys_call_arch.h>
#include <unistd.h>

#include "sys/say.h"

void fw_say_(const char *text)
{
    static char name[] = "furwock: ";
    static char end[] = "\n";
    struct iovec parts[] = {
        {name, sizeof name - 1}, {(char *)(uintptr_t)text, strlen(text)}, {end, sizeof end - 1}};

    /* One write: lines do not mix. */
    fw_system_call_(SYS_writev, STDERR_FILENO, (long)(intptr_t)parts, 3, 0, 0, 0);
}
