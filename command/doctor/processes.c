/* SPDX-License-Identifier: MIT */
/* What may be looked at of other processes, as furwock who does it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/who/stacks.h"
#include "doctor.h"

enum { CAP_PTRACE = 19 }; /* CAP_SYS_PTRACE of <linux/capability.h> */

/* May a process be read?  One of this user's, which is told to wait.  0, or an errno. */
static int read_child(const int *word)
{
    char path[64];
    int fd, found = 0, error = 0;
    pid_t child = fork();

    if (child == 0)
        for (;;)
            pause();
    if (child < 0)
        return errno;
    snprintf(path, sizeof path, "/proc/%d/mem", (int)child);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || pread(fd, &found, sizeof found, (off_t)(uintptr_t)word) != sizeof found)
        error = errno;
    if (fd >= 0)
        close(fd);
    snprintf(path, sizeof path, "/proc/%d/syscall", (int)child);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && error == 0)
        error = errno;
    if (fd >= 0)
        close(fd);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return error;
}

static bool has_capability(void)
{
    char line[256];
    unsigned long long set = 0;
    FILE *in = fopen("/proc/self/status", "re");

    while (in != NULL && fgets(line, sizeof line, in) != NULL)
        if (sscanf(line, "CapEff: %llx", &set) == 1)
            break;
    if (in != NULL)
        fclose(in);
    return (set >> CAP_PTRACE & 1) != 0;
}

static void ask_who(struct doctor_finding *f)
{
    static const int word = 1;
    int scope = rights_yama_scope(), error = read_child(&word);
    bool is_able = has_capability();

    f->state = error == EACCES || error == EPERM ? DOCTOR_REFUSED : DOCTOR_YES;
    if (error != 0)
        snprintf(f->detail, sizeof f->detail, "%s", strerror(error));
    else if (scope > 0 && !is_able)
        snprintf(f->detail, sizeof f->detail, "children only: kernel.yama.ptrace_scope is %d",
                 scope);
    else
        snprintf(f->detail, sizeof f->detail, "%s%s", is_able ? "of all users" : "of this user",
                 unwind_missing != NULL ? ", without stacks (no libdw)" : "");
    if (error != 0 && f->state == DOCTOR_YES)
        f->state = DOCTOR_NO;
}

const struct doctor_question doctor_processes[] = {
    {"reading processes", ask_who,
     "furwock who -p PID says what threads wait for, and names deadlocks",
     "furwock who -p PID sees no process: it needs /proc/PID/mem and /proc/PID/syscall",
     DOCTOR_EXTRA, NULL, NULL},
};
const size_t doctor_processes_count = sizeof doctor_processes / sizeof *doctor_processes;
