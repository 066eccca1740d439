/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_COND_H
#define FURWOCK_COND_H

#include <stdint.h>

#include <furwock/bits/annotate.h>
#include <furwock/bits/api.h>
#include <furwock/bits/deadline.h>
#include <furwock/mutex.h>
#include <furwock/wait.h>

FW_BEGIN_DECLS

/*
 * fw_cond: a condition variable for the threads of one process, used with an fw_mutex.  Eight
 * bytes, all zeroes when no thread waits.
 *
 * Rules
 *  - A condition variable is ready when its bytes are zero: FW_COND_INIT, a static variable,
 *    calloc.  It needs no destructor and allocates nothing.  Its memory may be freed as soon as
 *    every waiter has been woken, that is, when the signals or the broadcast that woke them have
 *    returned: a woken waiter does not touch it, not even on its way out.
 *  - The caller of a wait must hold the mutex; it is held again on return, whatever the result.
 *    Waiting without holding it, or with another mutex than the threads that already wait, is an
 *    error in the program: the library aborts it with a diagnostic on standard error.
 *  - Signal and broadcast may be called with or without the mutex held; with it is better, see
 *    below.  If no thread waits they cost one load.
 *  - No signal is lost, and none is stolen: fw_cond_signal wakes the most urgent waiter (real-time
 *    threads by priority, SCHED_DEADLINE first), among equals the one that has waited longest, and
 *    a thread that begins to wait after it has returned cannot take the wake. A wait that timed out
 *    and was woken as well returns 0, and a wait that returns ETIMEDOUT has consumed no signal. The
 *    priority of a waiter is the one it had before it slept.
 *  - Test the condition in a loop all the same: between the wake and the lock another thread may
 *    have changed it.
 *  - Broadcast avoids a thundering herd.  It wakes one waiter at most (none if the caller holds the
 *    mutex) and requeues the others to the mutex, in one system call (one call each for threads
 *    that began to wait while signals were more frequent than broadcasts); each release of the
 *    mutex then wakes the next.  Ingo Molnar, "futex requeueing feature", 2003.
 *  - The thread that is waiting may be cancelled (pthread_cancel): the waits are cancellation
 *    points, the only ones in furwock.  Clean-up handlers find the mutex held, and a signal that
 *    the cancelled thread may have been given is passed on.  (It may be cancelled at any
 *    instruction of a signal handler that runs while it sleeps here: such handlers take no locks.)
 *  - Tasks may wait for it without a thread, beside threads: furwock/await.h.
 *  - After fork(3) only threads that the child creates wait in the child.
 *  - Not for memory shared between processes; not in signal handlers.
 *
 * Example
 *
 *     struct queue {
 *         fw_mutex lock;
 *         fw_cond not_empty;
 *         unsigned length;
 *     };
 *
 *     void put(struct queue *q)
 *     {
 *         fw_mutex_lock(&q->lock);
 *         q->length++;
 *         fw_cond_signal(&q->not_empty);
 *         fw_mutex_unlock(&q->lock);
 *     }
 *
 *     void get(struct queue *q)
 *     {
 *         fw_mutex_lock(&q->lock);
 *         while (q->length == 0)
 *             fw_cond_wait(&q->not_empty, &q->lock);
 *         q->length--;
 *         fw_mutex_unlock(&q->lock);
 *     }
 */
typedef struct fw_cond {
    uint32_t seq_; /* internal: doc/design/cond.md */
    uint32_t waiters_;
} fw_cond;

/* clang-format off */
#define FW_COND_INIT {0, 0}
/* clang-format on */

/* Initialises *c, without waiters; the same as storing FW_COND_INIT. */
FW_API void fw_cond_init(fw_cond *c);

/* Releases the mutex and waits until woken, in one step; then locks the mutex again. */
FW_API void fw_cond_wait(fw_cond *c, fw_mutex *m) FW_REQUIRES(m);

/*
 * Waits as fw_cond_wait, until the deadline at most.  Returns 0 when woken; ETIMEDOUT if the
 * deadline has passed first; EINVAL if the deadline is malformed (the mutex was not released
 * then).
 */
FW_API int fw_cond_timedwait(fw_cond *c, fw_mutex *m, const fw_deadline *deadline) FW_REQUIRES(m);

/*
 * Waits with a wait policy (NULL: the process default) and a deadline (NULL: none); results as for
 * fw_cond_timedwait, EINVAL also for a malformed policy.  With the default policy a thread spins
 * before it sleeps only while that has paid off recently: doc/design/cond.md.  The mutex is locked
 * again with the default policy.
 */
FW_API int fw_cond_wait_policy(fw_cond *c, fw_mutex *m, const fw_wait_policy *policy,
                               const fw_deadline *deadline) FW_REQUIRES(m);

/*
 * Wakes the most urgent waiter, among equals the one that has waited longest, if there is one.
 * Returns how many waits it has ended: 1 or 0.  (One that is ended so returns 0, even if its
 * deadline passes before its thread runs.)
 */
FW_API uint32_t fw_cond_signal(fw_cond *c);

/* Wakes all waiters, one after the other as the mutex becomes free.  Returns how many. */
FW_API uint32_t fw_cond_broadcast(fw_cond *c);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/cond.h>
#endif

FW_END_DECLS

#endif
