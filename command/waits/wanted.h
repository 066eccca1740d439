/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_WAITS_WANTED_H
#define FW_COMMAND_WAITS_WANTED_H

#include <argp.h>

#include "watch.h"

/*
 * Of the command line, which processes are to be watched, and how: what all subcommands that watch
 * have.  A child of their own argp; its input is a struct wanted.
 */
struct wanted {
    struct watch_options watch;
    pid_t *pids;
    const char **names;
};

extern const struct argp wanted_argp;

/* Ends the program, unless something was asked for that can be watched. */
void wanted_check(const struct wanted *w);

void wanted_free(struct wanted *w);

/* A number of seconds above 0; ends the program, if it is none. */
double wanted_seconds(const char *option, const char *text);
/* A whole number from `least` on. */
unsigned wanted_number(const char *option, const char *text, unsigned least);

/*
 * SIGINT, SIGTERM and SIGHUP end the watching, and not the program: from here on, true once one
 * has come.
 */
bool wanted_interrupted(void);

/*
 * Takes samples until then (CLOCK_MONOTONIC, ns), and no longer than until a signal comes or the
 * last process that was asked for by number has ended.
 */
void wanted_watch_until(struct watch *w, uint64_t until);

#endif
