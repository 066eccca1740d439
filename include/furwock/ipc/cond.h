/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_IPC_COND_H
#define FURWOCK_IPC_COND_H

#include <stdint.h>

#include <furwock/bits/annotate.h>
#include <furwock/bits/api.h>
#include <furwock/bits/deadline.h>
#include <furwock/ipc/mutex.h>
#include <furwock/wait.h>

FW_BEGIN_DECLS

/*
 * fw_ipc_cond: a condition variable between threads of any processes, used with an fw_ipc_mutex.  A
 * thread that dies in it (waiting, signalling, broadcasting, at any instruction) loses no wake-up:
 * the others are woken in its place.
 *
 * Rules
 *  - It lies in the same region as its mutex (furwock/ipc/region.h), aligned to 8 bytes; zeroes are
 *    one without waiters.  It needs no destructor.  Its memory may be reused when all waits have
 *    returned.
 *  - The caller of a wait must hold the mutex, the same one for all waiters.
 *  - A wait is an unlock and a lock: it commits the mutex's journal; a mutex that was acquired with
 *    EOWNERDEAD and not declared consistent becomes unusable; and it may return what lock returns.
 *    The mutex is held again if the result is 0, ETIMEDOUT or EOWNERDEAD.
 *  - No signal is lost when a thread dies: if the signalled thread died, the others check for
 *    themselves.  A wait that returns ETIMEDOUT has consumed no signal.
 *  - The price is spurious wake-ups: test the condition in a loop.  (Every wait checks once a
 *    minute whether there was a signal since it began, and ends if there was; so do all waits when
 *    a thread dies that waits, or signals, in the same region.  If the kernel does not report
 *    deaths, doc/design/crash-safety.md, it checks about 25 times a second.)
 *  - Signal while the mutex is held.  If a thread dies with the mutex, before the signal, the next
 *    one to take the mutex learns of it, by EOWNERDEAD or a repair; if none takes it, the waiters
 *    do, within a minute, or at once if they were signalled.  A thread that dies between unlock and
 *    signal has changed the condition without a signal.
 *  - Signal and broadcast may be called without the mutex, too.  If no thread waits they cost one
 *    load.
 *  - No waiter is woken only to find the mutex taken: with the mutex held, a signal requeues the
 *    waiter to the mutex, whose release wakes it.  A broadcast wakes one waiter at most, and
 *    requeues the others; each release wakes the next.
 *  - The waits are cancellation points (pthread_cancel).  Clean-up handlers find the mutex as after
 *    a wait: held, unless it is unusable.
 *  - Not for signal handlers.
 *
 * Example: a mailbox
 *
 *     struct mailbox {
 *         fw_ipc_mutex lock;
 *         fw_ipc_cond not_empty;
 *         unsigned letters;
 *     };
 *
 *     int put(struct mailbox *b)
 *     {
 *         int error = fw_ipc_mutex_lock(&b->lock);
 *         if (error == EOWNERDEAD) // one word is never half changed: nothing to repair
 *             error = fw_ipc_mutex_consistent(&b->lock);
 *         if (error != 0)
 *             return error;
 *         b->letters++;
 *         fw_ipc_cond_signal(&b->not_empty);
 *         return fw_ipc_mutex_unlock(&b->lock);
 *     }
 *
 *     int get(struct mailbox *b)
 *     {
 *         int error = fw_ipc_mutex_lock(&b->lock);
 *         for (;;) {
 *             if (error == EOWNERDEAD)
 *                 error = fw_ipc_mutex_consistent(&b->lock);
 *             if (error != 0)
 *                 return error;
 *             if (b->letters != 0)
 *                 break;
 *             error = fw_ipc_cond_wait(&b->not_empty, &b->lock);
 *         }
 *         b->letters--;
 *         return fw_ipc_mutex_unlock(&b->lock);
 *     }
 */
typedef struct fw_ipc_cond {
    uint64_t word_;  /* internal: doc/design/crash-safety.md */
    uint32_t mutex_; /* of the waiters: its offset in the region, in units of 8 bytes */
    uint32_t spin_;
} fw_ipc_cond;

/* clang-format off */
#define FW_IPC_COND_INIT {0, 0, 0}
/* clang-format on */

/* Initialises *c, without waiters. 0, or EINVAL: misaligned. */
FW_API int fw_ipc_cond_init(fw_ipc_cond *c);

/*
 * Releases the mutex and waits until woken, in one step; then locks the mutex again.
 *   0                 woken, perhaps spuriously; the mutex is held
 *   EOWNERDEAD        the same, and an owner of the mutex has died: as after lock
 *   ENOTRECOVERABLE   the mutex is unusable, and is not held
 *   EPERM             the caller did not hold the mutex; nothing was done
 *   EINVAL            variable and mutex do not lie in the same region; nothing was done
 *   EAGAIN            the region has no participant slot left for another thread; nothing was done
 *   EUCLEAN           the mutex, or its journal, has been overwritten; it is not held
 */
FW_NODISCARD FW_API int fw_ipc_cond_wait(fw_ipc_cond *c, fw_ipc_mutex *m);

/*
 * Waits as fw_ipc_cond_wait, until the deadline at most: ETIMEDOUT, with the mutex held.
 * (EOWNERDEAD comes first.)  EINVAL also for a malformed deadline: nothing was done.
 */
FW_NODISCARD FW_API int fw_ipc_cond_timedwait(fw_ipc_cond *c, fw_ipc_mutex *m,
                                              const fw_deadline *deadline);

/*
 * Waits with a wait policy (NULL: the process default) and a deadline (NULL: none); results as for
 * fw_ipc_cond_timedwait.  The mutex is locked again with the default policy.  Also ECANCELED and
 * EINTR, if the policy asks for that: furwock/ipc/interrupt.h.
 */
FW_NODISCARD FW_API int fw_ipc_cond_wait_policy(fw_ipc_cond *c, fw_ipc_mutex *m,
                                                const fw_wait_policy *policy,
                                                const fw_deadline *deadline);

/* Wakes a waiter, if any: of the sleeping ones, the one that has slept longest. 0, EINVAL. */
FW_API int fw_ipc_cond_signal(fw_ipc_cond *c);

/* Wakes all waiters, one after the other as the mutex becomes free. 0, EINVAL. */
FW_API int fw_ipc_cond_broadcast(fw_ipc_cond *c);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/ipc/cond.h>
#endif

FW_END_DECLS

#endif
