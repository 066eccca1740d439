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
 * fw_ipc_cond: a condition variable between threads of any processes, used with an fw_ipc_mutex.
 * Whoever dies in it (waiting, signalling, broadcasting, at any instruction) leaves nothing behind:
 * the others are woken in its place.
 *
 * Rules
 *  - It lies in the same region as its mutex (furwock/ipc/region.h), aligned to 8 bytes; zeroes are
 *    one on which nobody waits.  It needs no destructor.  Its memory may be used for something else
 *    when all waits have returned.
 *  - Who waits holds the mutex, and waits with the same mutex as the others do.
 *  - A wait is an unlock and a lock: it commits the mutex's journal, and gives a mutex up that was
 *    got with EOWNERDEAD and not declared consistent; and it may return what lock returns.  The
 *    mutex is held again when the answer is 0, ETIMEDOUT or EOWNERDEAD.
 *  - No signal is lost, whoever dies: where it went to one who died, others look for themselves.  A
 *    wait that returns ETIMEDOUT has taken no signal from others.
 *  - For that, waits may end without having been meant: test the condition in a loop.  (Every wait
 *    looks once a minute whether there was a signal since it began, and ends if there was; so do
 *    all when a thread dies that waits, or signals, in the same region.  Where the kernel does not
 *    tell of deaths, doc/design/crash-safety.md, it looks about 25 times a second.)
 *  - Signal while the mutex is held.  Who dies with the mutex, before the signal, is noticed by
 *    whoever takes the mutex next, with EOWNERDEAD or repaired; by those who wait, if nobody does,
 *    within a minute, or at once where they were signalled.  Who dies between unlock and signal
 *    has changed the condition and told nobody.
 *  - Signal and broadcast may be called without the mutex, too.  Where nobody waits they cost one
 *    load.
 *  - Nobody is woken only to find the mutex taken: with the mutex held, a signal moves the waiter
 *    to the mutex, whose release wakes it.  A broadcast wakes one waiter at most, and moves the
 *    others; each release wakes the next.
 *  - Who waits may be cancelled (pthread_cancel).
 *    Clean-up handlers find the mutex as after a wait: held, unless it was given up.
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
    uint32_t mutex_; /* of those who wait, from the region's begin, by eights */
    uint32_t luck_;
} fw_ipc_cond;

/* clang-format off */
#define FW_IPC_COND_INIT {0, 0, 0}
/* clang-format on */

/* Makes *c a condition variable on which nobody waits.  0, or EINVAL: misaligned. */
FW_API int fw_ipc_cond_init(fw_ipc_cond *c);

/*
 * Releases the mutex and waits until woken, in one step; then locks the mutex again.
 *   0                 woken, or it looks like that; the mutex is held
 *   EOWNERDEAD        the same, and a holder of the mutex has died: as after lock
 *   ENOTRECOVERABLE   the mutex was given up, and is not held
 *   EPERM             the caller did not hold the mutex; nothing was done
 *   EINVAL            variable and mutex do not lie in the same region; nothing was done
 *   EAGAIN            the region has no line left for another thread; nothing was done
 *   EUCLEAN           the mutex, or its journal, has been written over; it is not held
 */
FW_API int fw_ipc_cond_wait(fw_ipc_cond *c, fw_ipc_mutex *m);

/*
 * The same until the deadline at most: ETIMEDOUT, with the mutex held.  (EOWNERDEAD comes first.)
 * EINVAL also for a malformed deadline: nothing was done.
 */
FW_API int fw_ipc_cond_timedwait(fw_ipc_cond *c, fw_ipc_mutex *m, const fw_deadline *deadline);

/*
 * The same with a waiting policy (NULL: the process default) and a deadline (NULL: none).  The
 * mutex is locked again by the default policy.
 */
FW_API int fw_ipc_cond_wait_policy(fw_ipc_cond *c, fw_ipc_mutex *m, const fw_wait_policy *policy,
                                   const fw_deadline *deadline);

/* Wakes a waiter, if any: of those who sleep, the one that has done so longest.  0, EINVAL. */
FW_API int fw_ipc_cond_signal(fw_ipc_cond *c);

/* Wakes all waiters, one after the other as the mutex gets free.  0, EINVAL. */
FW_API int fw_ipc_cond_broadcast(fw_ipc_cond *c);

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/ipc/cond.h>
#endif

FW_END_DECLS

#endif
