/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asleep.h"
#include "processes.h"

enum { LOOK_US = 500, LOOKS = 4, PATIENCE_S = 120 };

pid_t start(void (*body)(void *), void *arg)
{
    pid_t parent = getpid();
    pid_t child = fork();

    CHECK(child >= 0);
    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent && getppid() != 0) /* 0: it is in another pid namespace */
        _exit(EXIT_FAILURE);
    body(arg);
    _exit(EXIT_SUCCESS);
}

/*
 * It sleeps, and has not been awake between several looks: an emulator has locks of its own, at
 * which it may be asleep for a moment.
 */
void await_child_asleep(pid_t child)
{
    unsigned long sleeps = 0;
    int looks = 0;
    char state;

    while ((state = thread_state(child, child)) != 0 && state != 'Z') {
        unsigned long now = thread_sleeps(child, child);

        looks = thread_is_asleep(child, child) && now == sleeps ? looks + 1 : 0;
        sleeps = now;
        if (looks == LOOKS)
            return;
        usleep(LOOK_US);
    }
    fail("process %d has ended, and should sleep", (int)child);
}

pid_t start_asleep(void (*body)(void *), void *arg)
{
    pid_t child = start(body, arg);

    await_child_asleep(child);
    return child;
}

int wait_for_child(pid_t child)
{
    int status;

    CHECK(waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

void finish(pid_t child)
{
    int end = wait_for_child(child);

    if (end != EXIT_SUCCESS)
        fail("a process ended with %s %d", end < 0 ? "signal" : "status", end < 0 ? -end : end);
}

void kill_and_wait(pid_t child)
{
    kill(child, SIGKILL);
    CHECK(wait_for_child(child) == -SIGKILL); /* and it had not died before */
}

void *share(size_t n)
{
    void *memory = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    CHECK(memory != MAP_FAILED);
    return memory;
}

bool await_condition(bool (*done)(void *), void *arg)
{
    uint64_t end = now_ns() + PATIENCE_S * UINT64_C(1000000000);

    while (!done(arg)) {
        if (now_ns() > end)
            return false;
        usleep(LOOK_US);
    }
    return true;
}
