/* SPDX-License-Identifier: MIT */
#include "classics_task.h"
#include "test/support/asleep.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_US = 500, LOOKS = 40000 /* 20 s: only a hang takes so long, also under a sanitizer */ };

void *task_memory(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_SHARED, -1, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    return p;
}

pid_t task_start(void (*body)(void *), void *arg)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        body(arg);
        _exit(0);
    }
    return pid;
}

void task_await_asleep(pid_t pid)
{
    for (int i = 0; i < LOOKS; i++) {
        char state = thread_state(pid, pid);
        if (state == 'S')
            return;
        if (state == 0 || state == 'Z')
            fail_msg("task %d has ended, and should sleep", (int)pid);
        usleep(LOOK_US);
    }
    fail_msg("task %d does not go to sleep", (int)pid);
}

pid_t task_start_asleep(void (*body)(void *), void *arg)
{
    pid_t pid = task_start(body, arg);
    task_await_asleep(pid);
    return pid;
}

void task_join(pid_t pid)
{
    int status;
    for (int i = 0; i < LOOKS; i++) {
        if (waitpid(pid, &status, WNOHANG) == pid) {
            assert_int_equal(status, 0);
            return;
        }
        usleep(LOOK_US);
    }
    task_kill(pid);
    fail_msg("task %d hangs", (int)pid);
}

void task_kill(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

bool task_await(bool (*done)(void *), void *arg)
{
    for (int i = 0; i < LOOKS; i++) {
        if (done(arg))
            return true;
        usleep(LOOK_US);
    }
    return false;
}
