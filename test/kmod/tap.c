/* SPDX-License-Identifier: MIT */
#include "tap.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_SECONDS = 120 };

static struct tap_case *first, **last = &first;

void tap_add(struct tap_case *c)
{
    *last = c;
    last = &c->next;
}

/* Its exit status, or 128 and the signal. */
static int run_one(const struct tap_case *c, void (*begin)(void))
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        setpgid(0, 0);
        alarm(LIMIT_SECONDS);
        begin();
        c->run();
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, &status, 0);
    kill(-child, SIGKILL); /* what it has left */
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int tap_run(const char *part, void (*begin)(void))
{
    unsigned n = 0, number = 0, failed = 0, skipped = 0;

    for (const struct tap_case *c = first; c != NULL; c = c->next)
        n += strstr(c->name, part) != NULL;
    printf("TAP version 13\n1..%u\n", n);
    for (const struct tap_case *c = first; c != NULL; c = c->next) {
        int status;

        if (strstr(c->name, part) == NULL)
            continue;
        status = run_one(c, begin);
        failed += status != 0 && status != 77;
        skipped += status == 77;
        printf("%s %u %s%s\n", status == 0 || status == 77 ? "ok" : "not ok", ++number, c->name,
               status == 77   ? " # SKIP"
               : status > 128 ? " # signal"
                              : "");
    }
    printf("# Totals: pass:%u fail:%u xfail:0 xpass:0 skip:%u error:0\n", n - failed - skipped,
           failed, skipped);
    fflush(stdout);
    return failed != 0 || n == 0;
}
