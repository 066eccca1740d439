/* SPDX-License-Identifier: MIT */
#ifndef FW_MEASURE_DEATH_H
#define FW_MEASURE_DEATH_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Runs a body in a forked child and tells how it ended: for what must stop the program, and for
 * what must not hang.
 *
 *     struct death d;
 *     death_run(body, arg, 5000, &d);
 *     assert_int_equal(d.signal, SIGABRT);
 *     assert_non_null(strstr(d.text, "furwock: "));
 */
struct death {
    pid_t pid;       /* of the child that was */
    bool timed_out;  /* it had to be killed */
    int status;      /* exit status, or -1 where a signal ended it */
    int signal;      /* the signal that ended it, or 0 */
    char text[4096]; /* what it wrote to standard error, cut where too long */
};

/*
 * The body runs in the child's only thread; returning from it is exit status 0.  No core is dumped.
 * Returns 0, or an errno value where no child could be made.
 */
int death_run(void (*body)(void *), void *arg, unsigned limit_ms, struct death *d);

#endif
