/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_WAITS_WATCH_H
#define FW_COMMAND_WAITS_WATCH_H

#include "bpf/waits/program.h"
#include "model.h"

/*
 * Watches the waits of running programs, by the program in the kernel.  What it finds is collected
 * between two views: watch_poll takes the samples that have come, ten times a second or so, and
 * watch_view makes a view of the time since the one before.
 */
struct watch_options {
    bool all;
    const pid_t *pids;
    unsigned pid_count;
    const char *const *names; /* programs, as in /proc/PID/comm */
    unsigned name_count;
    unsigned samples; /* of a lock, a second, about */
    bool keep;        /* all figures and waits from the beginning: for a recording */
    enum waits_order order;
};

struct watch;

/* Ends the program with a message, if it cannot watch, or there is nothing to be watched. */
struct watch *watch_open(const struct watch_options *options);
void watch_close(struct watch *w);

void watch_poll(struct watch *w);

/* Of a recording, now and then: who lives, and which processes have been started. */
void watch_look(struct watch *w);

/* The view is valid until the next call.  Of a recording (keep): it is over. */
const struct waits_view *watch_view(struct watch *w);

/* Does none of the processes live that were asked for by number? */
bool watch_is_over(const struct watch *w);

/* Why a process's memory cannot be read, the first such one; NULL: none. */
const char *watch_warning(const struct watch *w);

void watch_cost(struct watch *w, uint64_t *ns, uint64_t *runs);

#endif
