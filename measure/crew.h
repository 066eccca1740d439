/* SPDX-License-Identifier: MIT */
#ifndef FW_MEASURE_CREW_H
#define FW_MEASURE_CREW_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A crew: n threads, or n forked processes, that start together.
 *
 *     static void member(unsigned index, void *arg) { ... }
 *
 *     struct crew *c = crew_start(n, CREW_THREADS, member, arg);   every member waits at the gate
 *     crew_go(c);                                                  ... and starts now
 *     crew_join(c);                                                0, or how many processes failed
 *
 * Threads have small stacks (64 KiB, more under sanitizers), so that thousands fit; crew_stack asks
 * for others.  Processes die with their parent, whatever kills it.
 */
enum crew_kind {
    CREW_THREADS = 0,
    CREW_PROCESSES = 1,
    CREW_PINNED = 2 /* or-ed in: member i stays on the i-th usable CPU, round robin */
};

struct crew;

/*
 * The stack of each thread of the crews to come, beyond what the C library itself needs; rounded up
 * to pages.  0: the usual.  Under sanitizers it is never less than that.
 */
void crew_stack(size_t bytes);

/* NULL with errno where the system does not allow so many; none of them is left behind then. */
struct crew *crew_start(unsigned n, unsigned kind, void (*body)(unsigned, void *), void *arg);
void crew_go(struct crew *c);
int crew_join(struct crew *c);

/* Kills the processes of a crew before crew_join; nothing for threads. */
void crew_kill(struct crew *c);

/* The three calls in one.  0, an errno value, or -1 where a process failed. */
int crew_run(unsigned n, unsigned kind, void (*body)(unsigned, void *), void *arg);

/* CPUs that this process may use, and a way to stay on the i-th of them (modulo their number). */
unsigned cpus_usable(void);
int cpu_pin(unsigned i);

#endif
