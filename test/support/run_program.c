/* SPDX-License-Identifier: MIT */
#include "run_program.h"

#include <errno.h>
#include <grp.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

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
