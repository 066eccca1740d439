/* SPDX-License-Identifier: MIT */
#include "traced.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "processes.h"

enum { SKIPPED = 77 };

static _Noreturn void skip_without(const char *what)
{
    char why[100];

    snprintf(why, sizeof why, "%s is not permitted here: %s", what, strerror(errno));
    if (errno == EPERM || errno == ENOSYS || errno == EIO)
        skip(why);
    fail("%s", why);
}

void traced_begin(void)
{
    pid_t self = getpid();

    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        skip_without("ptrace");
    syscall(SYS_kill, self, SIGSTOP); /* raise would do more than that, before and after */
}

pid_t traced_start(void (*body)(void *), void *arg)
{
    pid_t child = start(body, arg);
    int status;

    CHECK(waitpid(child, &status, 0) == child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
        _exit(SKIPPED); /* the child has said why */
    CHECK(WIFSTOPPED(status));
    return child;
}

static void expect_good_end(int status)
{
    if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS)
        fail("the traced process ended with status %x", (unsigned)status);
}

bool traced_next(pid_t child, enum __ptrace_request how)
{
    int status;

    if (ptrace(how, child, NULL, NULL) != 0)
        skip_without(how == PTRACE_SINGLESTEP ? "PTRACE_SINGLESTEP" : "PTRACE_SYSCALL");
    CHECK(waitpid(child, &status, 0) == child);
    if (WIFSTOPPED(status)) {
        CHECK((WSTOPSIG(status) & 0x7f) == SIGTRAP);
        return true;
    }
    expect_good_end(status);
    return false;
}

void traced_finish(pid_t child)
{
    int status;

    CHECK(ptrace(PTRACE_DETACH, child, NULL, NULL) == 0);
    CHECK(waitpid(child, &status, 0) == child);
    expect_good_end(status);
}

void traced_tell_calls(pid_t child)
{
    CHECK(ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)PTRACE_O_TRACESYSGOOD) == 0);
}

long traced_call(pid_t child)
{
    struct {
        uint8_t op, rest[23];
        uint64_t number, args[6];
    } info;

    if (ptrace((enum __ptrace_request)PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) <= 0)
        skip_without("PTRACE_GET_SYSCALL_INFO");
    return info.op == PTRACE_SYSCALL_INFO_ENTRY ? (long)info.number : -1;
}
