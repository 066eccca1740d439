/* SPDX-License-Identifier: MIT */
#include "death.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

enum { LOOK_MS = 2, NS_PER_MS = 1000000 };

/* Handlers that a test framework installed would turn a death into something else. */
static void restore_signals(void)
{
    static const int fatal[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGTRAP};

    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        signal(fatal[i], SIG_DFL);
}

static void be_the_child(void (*body)(void *), void *arg, const int ends[2])
{
    struct rlimit none = {0, 0};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &none);
    restore_signals();
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    body(arg);
    _exit(0);
}

/* Reads what is there; false at the end of the file. */
static bool drain(int fd, struct death *d, size_t *used)
{
    char piece[512];
    ssize_t got;

    while ((got = read(fd, piece, sizeof piece)) > 0) {
        size_t free = sizeof d->text - 1 - *used;
        size_t n = (size_t)got < free ? (size_t)got : free;
        memcpy(d->text + *used, piece, n);
        *used += n;
    }
    return got < 0;
}

static void watch(int fd, uint64_t deadline, struct death *d)
{
    size_t used = 0;
    bool open = true;
    int status;

    for (;;) {
        struct pollfd p = {.fd = open ? fd : -1, .events = POLLIN};
        poll(&p, 1, LOOK_MS);
        pid_t ended = waitpid(d->pid, &status, WNOHANG);
        open = open && drain(fd, d, &used);
        if (ended == d->pid)
            break;
        if (!d->timed_out && clock_ns() > deadline) {
            d->timed_out = true;
            kill(d->pid, SIGKILL);
        }
    }
    d->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    d->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

int death_run(void (*body)(void *), void *arg, unsigned limit_ms, struct death *d)
{
    int ends[2];

    memset(d, 0, sizeof *d);
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return errno;
    uint64_t deadline = clock_ns() + (uint64_t)limit_ms * NS_PER_MS;
    d->pid = fork();
    if (d->pid == 0)
        be_the_child(body, arg, ends);
    int error = d->pid < 0 ? errno : 0;
    close(ends[1]);
    if (error == 0)
        watch(ends[0], deadline, d);
    close(ends[0]);
    return error;
}
