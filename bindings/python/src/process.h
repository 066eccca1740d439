/* SPDX-License-Identifier: MIT */
#ifndef FWPY_PROCESS_H
#define FWPY_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/region/mapping.h"

/*
 * Which process, so that another one can find out whether it is still alive.  The locks of the
 * library belong to threads; what a Python program takes in one thread and gives back in another (a
 * unit of a semaphore) belongs to its process.
 *
 * A process that has called exec is dead: it knows nothing of what it had taken.  That the kernel
 * gives the new program another stack tells the two apart.
 */
struct fwpy_process {
    uint64_t pid; /* in its own pid namespace; 0: nobody */
    uint64_t pid_namespace;
    uint64_t started; /* clock ticks since boot; 0: not known */
    uint64_t stack;   /* where the stack began at its last exec; 0: not known */
};

/* The calling process.  Reads /proc once, and again after a fork. */
struct fwpy_process fwpy_this_process(void);

/* Is it the same one?  Cheap. */
static inline bool fwpy_is_process(const struct fwpy_process *a, const struct fwpy_process *b)
{
    return a->pid == b->pid && a->started == b->started && a->stack == b->stack &&
           a->pid_namespace == b->pid_namespace;
}

/*
 * Is the process alive, one of whose threads was the participant *holder of the region?  If that
 * thread has ended and another participant of the process is alive, *holder becomes that one, on
 * whose life others can sleep; 0: the process is alive and has no participant left to be watched.
 */
bool fwpy_is_alive(const struct fw_ipc_mapping_ *mapping, const struct fwpy_process *p,
                   uint64_t *holder);

#endif
