/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_SUPPORT_ASLEEP_H
#define FW_TEST_SUPPORT_ASLEEP_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/*
 * 'R', 'S', 'T', 'Z' ...: the state of a thread as /proc/PID/task/TID/stat has it, behind its name,
 * which ends with the last ')'.  0: there is no such thread.
 */
static inline char thread_state(pid_t pid, pid_t tid)
{
    char path[64], text[256];
    const char *name_end;
    size_t length;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)tid);
    file = fopen(path, "re");
    if (file == NULL)
        return 0;
    length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    name_end = strrchr(text, ')');
    return name_end != NULL && name_end[1] == ' ' ? name_end[2] : '\0';
}

/* Does a thread of this process sleep in the kernel? */
static inline bool is_asleep(pid_t tid)
{
    return thread_state(getpid(), tid) == 'S';
}

#endif
