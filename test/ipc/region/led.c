/* SPDX-License-Identifier: MIT */
#include "led.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "processes.h"

void be_led(void)
{
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(77);
    raise(SIGSTOP);
}

bool is_there_after(pid_t child, enum __ptrace_request how)
{
    int status;

    CHECK(ptrace(how, child, NULL, NULL) == 0);
    CHECK(waitpid(child, &status, 0) == child);
    if (WIFSTOPPED(status))
        return true;
    CHECK(status == 0);
    return false;
}

pid_t lead(void (*body)(void *))
{
    pid_t child = start(body, NULL);
    int status;

    CHECK(waitpid(child, &status, 0) == child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip("no ptrace here");
    CHECK(WIFSTOPPED(status));
    return child;
}

void tell_calls(pid_t child)
{
    CHECK(ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)PTRACE_O_TRACESYSGOOD) == 0);
}

long call_of(pid_t child)
{
    struct {
        uint8_t op, rest[23];
        uint64_t number, args[6];
    } info;

    if (ptrace((enum __ptrace_request)PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) <= 0)
        skip("no PTRACE_GET_SYSCALL_INFO here");
    return info.op == PTRACE_SYSCALL_INFO_ENTRY ? (long)info.number : -1;
}
