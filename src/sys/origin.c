/* SPDX-License-Identifier: MIT */
#include "sys/origin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "sys/clock.h"
#include "sys/small_file.h"

/* The link's text is "pid:[4026531836]".  0: it cannot be told. */
static uint64_t namespace_number(const char *path)
{
    char text[64];
    long length = fw_system_call_(SYS_readlinkat, AT_FDCWD, (long)(intptr_t)path,
                                  (long)(intptr_t)text, sizeof text - 1, 0, 0);
    const char *number;

    text[length > 0 ? length : 0] = '\0';
    number = strchr(text, '[');
    return number != NULL ? strtoull(number + 1, NULL, 10) : 0;
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

uint32_t fw_thread_id_(void)
{
    return (uint32_t)fw_system_call_(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

/* Reads a small text; it ends with 0, and is empty where there is none. */
static void read_text(const char *path, char *text, size_t size)
{
    long length = fw_small_file_(path, text, size - 1);

    text[length > 0 ? length : 0] = '\0';
}

/* What has been found of a mark in a text, and of what follows it. */
struct finding {
    const char *mark;
    size_t seen; /* of the mark */
    char *text;
    size_t size, length;
};

static bool is_found(struct finding *f, char c)
{
    if (f->mark[f->seen] == '\0') {
        f->text[f->length++] = c;
        return f->length == f->size - 1;
    }
    f->seen = c == f->mark[f->seen] ? f->seen + 1 : c == f->mark[0] ? 1 : 0;
    return false;
}

/*
 * Reads what follows the first place of `mark` in a file of any length, up to size - 1 bytes, and
 * ends it with 0; empty where there is no such place.
 */
static void read_behind(const char *mark, const char *path, char *text, size_t size)
{
    struct finding f = {.mark = mark, .text = text, .size = size};
    bool is_done = false;
    char bytes[1024];
    long fd =
        fw_system_call_(SYS_openat, AT_FDCWD, (long)(intptr_t)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
    long n = fd < 0 ? 0 : 1;

    while (n > 0 && !is_done) {
        n = fw_system_call_(SYS_read, fd, (long)(intptr_t)bytes, sizeof bytes, 0, 0, 0);
        for (long i = 0; i < n && !is_done; i++)
            is_done = is_found(&f, bytes[i]);
    }
    if (fd >= 0)
        fw_system_call_(SYS_close, fd, 0, 0, 0, 0, 0);
    text[f.length] = '\0';
}

/*
 * Is /proc that of the caller's pid namespace?  The line NSpid has the ids of the process in the
 * namespace of /proc and in all below, down to its own: one number, if these are the same.  Before
 * it, the line of groups can be of any length.
 */
static bool is_own_proc(void)
{
    char ids[128]; /* of 32 namespaces at most, of which one is enough to know */
    char *end;

    read_behind("\nNSpid:\t", "/proc/self/status", ids, sizeof ids);
    return strtoul(ids, &end, 10) == fw_process_id_() && *end == '\n';
}

/* Of a start: clock ticks since the machine was started, and who says so. */
enum { TICK_BITS = 40 };

/* A time namespace shifts both what /proc shows and what the clock does. */
static uint64_t start_at(uint64_t ticks)
{
    return ticks | namespace_number("/proc/self/ns/time") << TICK_BITS;
}

static bool can_be_compared(uint64_t a, uint64_t b)
{
    return a != 0 && b != 0 && (a ^ b) >> TICK_BITS == 0;
}

bool fw_is_another_start_(uint64_t a, uint64_t b)
{
    return can_be_compared(a, b) && a != b;
}

bool fw_is_later_start_(uint64_t started, uint64_t since)
{
    return can_be_compared(started, since) && started > since;
}

/* The kernel rounds down: a thread that starts in this tick has not started after the next. */
uint64_t fw_start_now_(void)
{
    uint64_t ticks_in_s = getauxval(AT_CLKTCK);
    struct timespec now;

    fw_clock_get_(CLOCK_BOOTTIME, &now);
    return start_at((uint64_t)now.tv_sec * ticks_in_s +
                    (uint64_t)now.tv_nsec / (1000000000u / ticks_in_s) + 1);
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
    if (about->started != 0)
        about->started = start_at(about->started);
    return true;
}
