/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_KEEPER_H
#define FW_CLASSICS_KEEPER_H

#include <sys/types.h>

/*
 * keeper: a helper process that gives back kernel objects which would outlive their users.
 *
 * A System V semaphore set, a shared memory segment or a named file stays behind when all who use
 * it are killed.  A keeper makes such objects on request, so that there is no moment in which
 * only a victim knows of one, and holds one end of a socket.  The other end is with the client
 * and, by inheritance, with every process that it forks; the kernel closes it for each of them,
 * however it ends. When the last has gone, the keeper removes what is left, and ends.
 *
 *     static int make(int arg);            an object's handle (0 or more), or a negative errno
 *     static void remove_(int handle);
 *     static const struct keeper_trade trade = {"my-keeper", make, remove_};
 *
 *     struct keeper k;
 *     int error = keeper_start(&k, &trade);
 *     int handle = keeper_make(&k, 42);    runs make(42) in the keeper
 *     keeper_remove(&k, handle);
 *     keeper_stop(&k);                     removes all the rest, unless forked children still live
 *
 * Rules
 *  - make and remove_ run in a child forked from a process that may have threads: only
 *    async-signal-safe calls, no allocation.
 *  - Calls for one keeper must not overlap, and only the process that started it may make them;
 *    after a fork the child starts its own.
 *  - The socket closes on exec: a program that is started afresh does not hold the keeper.
 *  - The keeper is in a session of its own, no child of anybody here (no wait() meets it), and
 *    blocks all signals.  Who kills it with SIGKILL as well leaves the objects behind: nobody is
 *    left to act.
 */
struct keeper_trade {
    const char *name; /* what ps shows: 15 characters at most */
    int (*make)(int arg);
    void (*remove_)(int handle);
};

struct keeper {
    int socket;
    pid_t client; /* the process that started it */
};

/* Most objects that one keeper looks after at a time. */
enum { KEEPER_MAX = 4096 };

/* Forks the keeper: 0, or a positive errno value. */
int keeper_start(struct keeper *k, const struct keeper_trade *trade);

/*
 * The new object's handle, or a negative errno: make's own; -ENOSPC above KEEPER_MAX; -EPIPE where
 * the keeper is gone; -EPERM where it is another process's.
 */
int keeper_make(struct keeper *k, int arg);

/* Removes one object; returns when it is gone: 0, -ENOENT (not the keeper's), -EPIPE or -EPERM. */
int keeper_remove(struct keeper *k, int handle);

/* Lets go of the keeper. */
void keeper_stop(struct keeper *k);

#endif
