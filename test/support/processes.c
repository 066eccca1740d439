/* SPDX-License-Identifier: MIT */
#include "processes.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const bool is_constrained = TEST_CONSTRAINED;

bool is_brief(void)
{
    return !is_constrained && getenv("TESTS_IN_FULL") == NULL;
}

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
