/* SPDX-License-Identifier: MIT */
#include "run_program.h"

#include <errno.h>
#include <grp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS_MAX = 12, LINE_MAX_BYTES = 200 };

static void become(uid_t user, const char *const *words, int out)
{
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    close(out);
    if (user == 0 || (setgroups(0, NULL) == 0 && setgid(user) == 0 && setuid(user) == 0))
        execv(words[0], (char **)(uintptr_t)words);
    _exit(127);
}

int run_program(uid_t user, const char *const *words, char *said, size_t size)
{
    int ends[2], status;
    size_t n = 0;
    ssize_t got;
    pid_t child;

    if (pipe(ends) != 0)
        return -1;
    child = fork();
    if (child == 0) {
        close(ends[0]);
        become(user, words, ends[1]);
    }
    close(ends[1]);
    while (child > 0 && (got = read(ends[0], said + n, size - 1 - n)) > 0)
        n += (size_t)got;
    said[n] = '\0';
    close(ends[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    if (child < 0)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int run_line(uid_t user, const char *program, const char *line, char *said, size_t size)
{
    const char *words[WORDS_MAX] = {program};
    char copy[LINE_MAX_BYTES], *rest = copy;

    snprintf(copy, sizeof copy, "%s", line);
    for (unsigned n = 1; n < WORDS_MAX - 1 && rest != NULL; n++)
        words[n] = strsep(&rest, " ");
    return run_program(user, words, said, size);
}
