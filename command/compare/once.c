/* SPDX-License-Identifier: MIT */
/* One run of the program.  Contract: compare.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/command.h"
#include "command/run/run.h"
#include "compare.h"
#include "measure/clock.h"

static const char *const side_names[] = {"the C library's locks", "furwock's"};

/* What the program prints is of no interest that often; its errors are. */
static void become(const struct comparison *c, enum compare_side side)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (null >= 0)
        dup2(null, STDOUT_FILENO);
    if (side == COMPARE_FURWOCK)
        run_environment(c->library, c->runtime, c->policy);
    _exit(run_execute(c->program, (char **)(size_t)c->words));
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void check_status(const struct comparison *c, enum compare_side side, int status)
{
    if (WIFSIGNALED(status))
        command_die(COMMAND_FAILED, "%s was ended by signal %d, with %s: nothing is compared",
                    c->words[0], WTERMSIG(status), side_names[side]);
    if (WEXITSTATUS(status) != 0 && !c->any_status)
        command_die(COMMAND_FAILED,
                    "%s ended with status %d, with %s: nothing is compared (--any-status does)",
                    c->words[0], WEXITSTATUS(status), side_names[side]);
}

struct compare_run compare_once(const struct comparison *c, enum compare_side side)
{
    uint64_t began = clock_ns();
    pid_t pid = fork(), ended;
    struct rusage used;
    struct compare_run run;
    int status;

    if (pid == 0)
        become(c, side);
    if (pid < 0)
        command_die(COMMAND_FAILED, "cannot start another process: %s", strerror(errno));
    do
        ended = wait4(pid, &status, 0, &used);
    while (ended < 0 && errno == EINTR);
    if (ended < 0)
        command_die(COMMAND_FAILED, "%s: %s", c->words[0], strerror(errno));
    run.seconds = (double)(clock_ns() - began) / 1e9;
    check_status(c, side, status);
    run.cpu_seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
    run.sleeps = (double)used.ru_nvcsw;
    return run;
}
