/* SPDX-License-Identifier: MIT */
#include "led.h"

#include <signal.h>
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
