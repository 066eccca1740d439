/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_SUPERVISOR_H
#define FW_CLASSICS_SUPERVISOR_H

#include <sys/types.h>

/*
 * supervisor: a helper process that gives back kernel objects which would outlive their users.
 *
 * A System V semaphore set, a shared memory segment or a named file stays behind when all who use
 * it are killed.  A supervisor makes such objects on request, so that there is no moment in which
 * only a victim knows of one, and holds one end of a socket.  The other end is with the client
 * and, by inheritance, with every process that it forks; the kernel closes it for each of them,
 * however it ends. When the last has gone, the supervisor removes what is left, and ends.
 *
 *     static int make(int arg);            an object's handle (0 or more), or a negative errno
 *     static void remove_(int handle);
 *     static const struct supervisor_ops ops = {"my-supervisor", make, remove_};
 *
 *     struct supervisor k;
 *     int error = supervisor_start(&k, &ops);
 *     int handle = supervisor_make(&k, 42);    runs make(42) in the supervisor
 *     supervisor_remove(&k, handle);
 *     supervisor_stop(&k);                     removes the rest, unless forked children live
 *
 * Rules
 *  - make and remove_ run in a child forked from a process that may have threads: only
 *    async-signal-safe calls, no allocation.
 *  - Calls for one supervisor must not overlap, and only the process that started it may make them;
 *    after a fork the child starts its own.
 *  - The socket closes on exec: a program that is started afresh does not hold the supervisor.
 *  - The supervisor is in a session of its own, no child of anybody here (no wait() meets it), and
 *    blocks all signals.  Who kills it with SIGKILL as well leaves the objects behind: nobody is
 *    left to act.
 */
struct supervisor_ops {
    const char *name; /* what ps shows: 15 characters at most */
    int (*make)(int arg);
    void (*remove_)(int handle);
};

struct supervisor {
    int socket;
    pid_t client; /* the process that started it */
};

/* Most objects that one supervisor looks after at a time. */
enum { SUPERVISOR_MAX = 4096 };

/* Forks the supervisor: 0, or a positive errno value. */
int supervisor_start(struct supervisor *k, const struct supervisor_ops *ops);

/*
 * The new object's handle, or a negative errno: make's own; -ENOSPC above SUPERVISOR_MAX; -EPIPE if
 * the supervisor is gone; -EPERM if it is another process's.
 */
int supervisor_make(struct supervisor *k, int arg);

/* Removes one object, and returns when it is gone: 0, -ENOENT (not its own), -EPIPE or -EPERM. */
int supervisor_remove(struct supervisor *k, int handle);

/* Lets go of the supervisor. */
void supervisor_stop(struct supervisor *k);

#endif
