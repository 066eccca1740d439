/* SPDX-License-Identifier: MIT */
/* Why a process may not be looked into: contract in target.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target.h"

int rights_yama_scope(void)
{
    FILE *in = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
    int scope = 0;

    if (in != NULL && fscanf(in, "%d", &scope) != 1)
        scope = 0;
    if (in != NULL)
        fclose(in);
    return scope;
}

/* Of all four ids of the user, which the line "Uid:" has. */
static bool is_mine(pid_t pid, unsigned *user)
{
    char path[64], line[256];
    unsigned id[4] = {0};
    bool is_found = false;
    FILE *in;

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    in = fopen(path, "re");
    while (in != NULL && !is_found && fgets(line, sizeof line, in) != NULL)
        is_found = sscanf(line, "Uid: %u %u %u %u", &id[0], &id[1], &id[2], &id[3]) == 4;
    if (in != NULL)
        fclose(in);
    *user = id[0];
    return id[0] == getuid() && id[1] == getuid() && id[2] == getuid();
}

static const char *of_yama(int scope)
{
    return scope >= 3   ? "kernel.yama.ptrace_scope is 3: nobody may look into another process "
                          "until the next boot"
           : scope == 2 ? "kernel.yama.ptrace_scope is 2: only with CAP_SYS_PTRACE, as root has it"
                        : "kernel.yama.ptrace_scope is 1: only a process's ancestors may, or who "
                          "has CAP_SYS_PTRACE; run this as root, or \"sysctl "
                          "kernel.yama.ptrace_scope=0\"";
}

void rights_explain(pid_t pid, int error, char *why, size_t size)
{
    char path[64];
    struct stat about;
    unsigned user = 0;
    int scope = rights_yama_scope();

    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    if (stat(path, &about) != 0)
        snprintf(why, size, "there is no such process");
    else if (error == 0 || error == ESRCH)
        snprintf(why, size,
                 "it has no memory: it has ended and its parent has not waited for it, "
                 "or it is a thread of the kernel");
    else if (error != EACCES && error != EPERM)
        snprintf(why, size, "%s", strerror(error));
    else if (!is_mine(pid, &user))
        snprintf(why, size,
                 "permission denied: it belongs to user %u and this is user %u; run "
                 "this as that user, or as root",
                 user, (unsigned)getuid());
    else if (about.st_uid != getuid())
        snprintf(why, size,
                 "permission denied: it may not be dumped (a set-user-ID program, or "
                 "prctl(PR_SET_DUMPABLE)); run this as root");
    else if (scope > 0)
        snprintf(why, size, "permission denied: %s", of_yama(scope));
    else
        snprintf(why, size,
                 "permission denied: it has rights that this process lacks, or a "
                 "security module forbids ptrace; run this as root, in a container "
                 "with CAP_SYS_PTRACE");
}
