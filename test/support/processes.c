/* SPDX-License-Identifier: MIT */
#include "processes.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const bool is_constrained = TEST_CONSTRAINED;

static const char *watched = "";

static void say(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written;
}

void fail(const char *format, ...)
{
    char line[300];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    say(strcat(line, "\n"));
    if (watched[0] != '\0') {
        say("in: ");
        say(watched);
        say("\n");
    }
    _exit(EXIT_FAILURE);
}

void skip(const char *why)
{
    printf("skipped: %s\n", why);
    fflush(stdout);
    _exit(77);
}

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

void finish(pid_t child)
{
    int status;

    CHECK(waitpid(child, &status, 0) == child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS)
        fail("a process ended with %s %d", WIFSIGNALED(status) ? "signal" : "status",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

void kill_and_wait(pid_t child)
{
    int status;

    kill(child, SIGKILL);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL); /* and it had not died before */
}

void *share(size_t n)
{
    void *memory = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    CHECK(memory != MAP_FAILED);
    return memory;
}

static void time_is_up(int signal_number)
{
    (void)signal_number;
    say("hangs: ");
    say(watched);
    say("\n");
    _exit(EXIT_FAILURE);
}

void limit(unsigned seconds, const char *what)
{
    watched = what;
    signal(SIGALRM, time_is_up);
    alarm(seconds);
}

uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}
