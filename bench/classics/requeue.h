/* SPDX-License-Identifier: MIT */
#ifndef FW_CLASSICS_REQUEUE_H
#define FW_CLASSICS_REQUEUE_H

#include "drepper.h"

/*
 * requeue: a condition variable whose broadcast wakes one, and makes the others wait for the mutex,
 * by furwock.ko's CMP_REQUEUE.
 *
 * From: Molnar, "futex requeueing feature" (2003), in the form of it that compares.
 *
 *   seq   meaning                                                left by
 *   n     whoever has read n before it released the mutex        signal: n+1, and a wake of one;
 *         may sleep                                              broadcast: n+1, and a requeue
 *
 * No signal is lost: wake_all.h.  Nobody is left at the mutex: who comes back from a wait takes the
 * mutex as AWAITED, whatever woke it, and so passes the duty to wake on; of those that a broadcast
 * has moved one is woken at once.
 *
 * Between threads, or processes: as the mutex, whose scope is one of the kernel service's.
 */
typedef struct classic_requeue {
    uint32_t seq;
} classic_requeue;

/* With the mutex held.  0 or ETIMEDOUT; the deadline is absolute, in ns of CLOCK_MONOTONIC. */
int classic_requeue_wait(classic_requeue *c, classic_drepper *m, int64_t deadline);
void classic_requeue_signal(classic_requeue *c, const classic_drepper *m);
void classic_requeue_broadcast(classic_requeue *c, const classic_drepper *m);

#endif
