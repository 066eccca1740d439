/* SPDX-License-Identifier: MIT */
#include "sys/origin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

uint32_t fw_process_id_(void)
{
    return (uint32_t)fw_system_call_(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

/* The 22nd field of /proc/ID/stat; the second, the name, ends with the last parenthesis. */
uint64_t fw_thread_started_(uint32_t thread)
{
    char path[32];
    char stat[512];
    const char *field;
    long length;

    snprintf(path, sizeof path, "/proc/%u/stat", thread);
    length = fw_small_file_(path, stat, sizeof stat - 1);
    stat[length > 0 ? length : 0] = '\0';
    field = strrchr(stat, ')');
    for (int i = 2; field != NULL && i < 22; i++)
        field = strchr(field + 1, ' ');
    return field != NULL ? strtoull(field, NULL, 10) : 0;
}
