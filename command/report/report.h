/* SPDX-License-Identifier: MIT */
#ifndef FW_COMMAND_REPORT_H
#define FW_COMMAND_REPORT_H

#include <stdio.h>

#include "command/waits/model.h"

/* What a recording is turned into.  The sums are of time waited. */

enum report_side {
    REPORT_WAITERS, /* where threads waited */
    REPORT_WAKERS,  /* what ended these waits: where the lock was let go */
    REPORT_BOTH     /* the waiter's stack, and on top of it the waker's, upside down */
};

/* Stacks as most tools for flame graphs read them, with microseconds. */
void report_folded(FILE *out, const struct waits_view *v, enum report_side side);

/* A flame graph: SVG, for a file of its own or in a page. */
void report_flame(FILE *out, const struct waits_view *v, enum report_side side, const char *title);

/* The single waits, for ui.perfetto.dev and chrome://tracing. */
void report_trace(FILE *out, const struct waits_view *v);

/* One page with all of it: HTML that needs nothing else. */
void report_page(FILE *out, const struct waits_view *v, const char *name);

/* --- folded.c, for the others ----------------------------------------------------------------- */

/*
 * The frames of a place, outermost first: the process, its stack, and the lock.  `names` has room
 * for REPORT_DEPTH; they are valid until the next call.  0: there is nothing of that side.
 */
enum { REPORT_DEPTH = 160 };
unsigned report_names(const struct waits_lock *lock, const struct waits_site *site,
                      enum report_side side, const char *names[REPORT_DEPTH]);

/* For XML and HTML: markup in `text` means nothing. */
void report_escape(FILE *out, const char *text);

#endif
