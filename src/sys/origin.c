/* SPDX-License-Identifier: MIT */
#include "sys/origin.h"

#include <errno.h>
#include <sys/stat.h>

#include "sys/small_file.h"

uint64_t fw_pid_namespace_(void)
{
    int saved_errno = errno;
    struct stat about;
    uint64_t number = 0;

    if (stat("/proc/self/ns/pid", &about) == 0)
        number = about.st_ino;
    errno = saved_errno;
    return number;
}

/* Linux makes a new random UUID each time. */
uint64_t fw_boot_(void)
{
    char uuid[36];

    if (fw_small_file_("/proc/sys/kernel/random/boot_id", uuid, sizeof uuid) != (long)sizeof uuid)
        return 0;
    return fw_hash_(FW_HASH_START_, uuid, sizeof uuid);
}
