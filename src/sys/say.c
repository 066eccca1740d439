/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "sys/say.h"

void fw_say_(const char *text)
{
    static char name[] = "furwock: ";
    static char end[] = "\n";
    struct iovec parts[] = {
        {name, sizeof name - 1}, {(char *)(uintptr_t)text, strlen(text)}, {end, sizeof end - 1}};
    int saved = errno;
    ssize_t written = writev(STDERR_FILENO, parts, 3); /* one write: lines do not mix */

    (void)written;
    errno = saved;
}
