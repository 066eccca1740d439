/* SPDX-License-Identifier: MIT */
#ifndef FW_MEASURE_WORKERS_H
#define FW_MEASURE_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A group of workers: n threads, or n forked processes, that start together.
 *
 *     static void worker(unsigned index, void *arg) { ... }
 *
 *     struct worker_group *g = workers_start(n, WORKER_THREADS, worker, arg);
 *                         every worker waits at the start barrier
 *     workers_go(g);      ... and starts now
 *     workers_join(g);    0, or how many processes failed
 *
 * Threads have small stacks (64 KiB, more under sanitizers), so that thousands fit; workers_stack
 * asks for others.  Processes die with their parent, whatever kills it.
 */
enum worker_kind {
    WORKER_THREADS = 0,
    WORKER_PROCESSES = 1,
    WORKER_PINNED = 2 /* or-ed in: worker i stays on the i-th usable CPU, round robin */
};

struct worker_group;

/*
 * The stack of each thread of later groups, beyond what the C library itself needs; rounded up
 * to pages.  0: the usual.  Under sanitizers it is never less than that.
 */
void workers_stack(size_t bytes);

/* NULL with errno if the system does not allow that many threads; none is left behind then. */
struct worker_group *workers_start(unsigned n, unsigned kind, void (*body)(unsigned, void *),
                                   void *arg);
void workers_go(struct worker_group *group);
int workers_join(struct worker_group *group);

/* Kills the processes of a group before workers_join; nothing for threads. */
void workers_kill(struct worker_group *group);

/* The three calls in one.  0, an errno value, or -1 where a process failed. */
int workers_run(unsigned n, unsigned kind, void (*body)(unsigned, void *), void *arg);

/* From now on all groups are WORKER_PINNED; and whether that is so. */
void workers_pin(void);
bool workers_pinned(void);

/* CPUs that this process may use, and a way to stay on the i-th of them (modulo their number). */
unsigned cpus_usable(void);
int cpu_pin(unsigned i);

/* From now on the calling thread, and what it starts, uses the first n of them only.  False: there
 * are fewer. */
bool cpus_limit(unsigned n);

#endif
