/* SPDX-License-Identifier: MIT */
#include "sys/origin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sys/small_file.h"

/* 0: it cannot be told. */
static uint64_t namespace_number(const char *path)
{
    int saved_errno = errno;
    struct stat about;
    uint64_t number = stat(path, &about) == 0 ? about.st_ino : 0;

    errno = saved_errno;
    return number;
}

uint64_t fw_pid_namespace_(void)
{
    return namespace_number("/proc/self/ns/pid");
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

/* Reads a small text; it ends with 0, and is empty where there is none. */
static void read_text(const char *path, char *text, size_t size)
{
    long length = fw_small_file_(path, text, size - 1);

    text[length > 0 ? length : 0] = '\0';
}

/*
 * Is /proc that of the caller's pid namespace?  The line NSpid has the ids of the process in the
 * namespace of /proc and in all below, down to its own: one number, if these are the same.
 */
static bool is_own_proc(void)
{
    char status[4096];
    const char *ids;
    char *end;

    read_text("/proc/self/status", status, sizeof status);
    ids = strstr(status, "\nNSpid:\t");
    if (ids == NULL)
        return false;
    return strtoul(ids + strlen("\nNSpid:\t"), &end, 10) == fw_process_id_() && *end == '\n';
}

/* Of a start: clock ticks since the machine was started, and who says so. */
enum { TICK_BITS = 40 };

bool fw_is_another_start_(uint64_t a, uint64_t b)
{
    return a != 0 && b != 0 && a != b && (a ^ b) >> TICK_BITS == 0;
}

/*
 * "12 (name) Z ...": the name may contain anything, but ends with the last parenthesis; the state
 * is the third field, the start the 22nd.  By this path emulators let the system answer.
 */
bool fw_thread_about_(uint32_t thread, struct fw_thread_about_ *about)
{
    char path[64];
    char stat[512];
    const char *field;

    if (!is_own_proc())
        return false;
    snprintf(path, sizeof path, "/proc/%u/task/%u/stat", thread, thread);
    read_text(path, stat, sizeof stat);
    field = strrchr(stat, ')');
    if (field == NULL || field[1] != ' ')
        return false;
    about->is_dead = field[2] == 'Z' || field[2] == 'X';
    for (int i = 2; field != NULL && i < 22; i++)
        field = strchr(field + 1, ' ');
    about->started = field != NULL ? strtoull(field, NULL, 10) : 0;
    if (about->started != 0) /* a time namespace shifts what it shows */
        about->started |= namespace_number("/proc/self/ns/time") << TICK_BITS;
    return true;
}
