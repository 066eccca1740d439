/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_SUPPORT_ASLEEP_H
#define FW_TEST_SUPPORT_ASLEEP_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/*
 * The first bytes of a file of a thread in /proc, as a string; false: there is no such thread.
 *
 * A thread is looked up as /proc/TID, which exists although no directory lists it.  What was looked
 * up below /proc/PID/task is torn down by the thread, as it ends; whoever reaps the process at that
 * moment spins in the kernel until the thread is through, often for a whole time slice.  The first
 * thread is torn down by its reaper, and qemu-user makes up a /proc/PID/stat.
 */
static inline bool thread_file(pid_t pid, pid_t tid, const char *name, char *text, size_t size)
{
    char path[64];
    size_t length;
    FILE *file;

    if (tid == pid)
        snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
    else
        snprintf(path, sizeof path, "/proc/%d/%s", (int)tid, name);
    file = fopen(path, "re");
    if (file == NULL)
        return false;
    length = fread(text, 1, size - 1, file);
    fclose(file);
    text[length] = '\0';
    return true;
}

/*
 * 'R', 'S', 'T', 'Z' ...: the state of a thread as its file "stat" has it, behind its name,
 * which ends with the last ')'.  0: there is no such thread.
 */
static inline char thread_state(pid_t pid, pid_t tid)
{
    char text[256];
    const char *name_end;

    if (!thread_file(pid, tid, "stat", text, sizeof text))
        return 0;
    name_end = strrchr(text, ')');
    return name_end != NULL && name_end[1] == ' ' ? name_end[2] : '\0';
}

/*
 * Does a thread sleep in the kernel?  One that has called for sleep, and still runs on its way to
 * it, has that state too; the file "syscall" says "running" of it.
 */
static inline bool thread_is_asleep(pid_t pid, pid_t tid)
{
    char text[8] = "";

    return thread_state(pid, tid) == 'S' &&
           !(thread_file(pid, tid, "syscall", text, sizeof text) && text[0] == 'r');
}

/* A number of a thread's file "status"; 0: there is no such thread. */
static inline unsigned long thread_status(pid_t pid, pid_t tid, const char *field)
{
    char text[4096], wanted[64];
    const char *line;

    if (!thread_file(pid, tid, "status", text, sizeof text))
        return 0;
    snprintf(wanted, sizeof wanted, "\n%s:", field);
    line = strstr(text, wanted);
    return line == NULL ? 0 : strtoul(line + strlen(wanted), NULL, 10);
}

/* How often a thread has gone to sleep. */
static inline unsigned long thread_sleeps(pid_t pid, pid_t tid)
{
    return thread_status(pid, tid, "voluntary_ctxt_switches");
}

/* How often a CPU went from a thread to another, also since it yielded, or had had its share. */
static inline unsigned long thread_switches(pid_t pid, pid_t tid)
{
    return thread_sleeps(pid, tid) + thread_status(pid, tid, "nonvoluntary_ctxt_switches");
}

/* thread_is_asleep for a thread of this process. */
static inline bool is_asleep(pid_t tid)
{
    return thread_is_asleep(getpid(), tid);
}

#endif
