/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_IPC_AWAIT_H
#define FURWOCK_IPC_AWAIT_H

#include <furwock/await.h>
#include <furwock/ipc/cond.h>
#include <furwock/ipc/mutex.h>
#include <furwock/ipc/permits.h>
#include <furwock/ipc/rwlock.h>
#include <furwock/ipc/sem.h>

FW_BEGIN_DECLS

/*
 * await, between processes: operations (furwock/await.h) that wait for the locks of a region, which
 * other processes hold.
 *
 * Rules
 *  - As in furwock/await.h; but the operation needs a loop, also one with a waker
 *    (fw_await_init_loop_waker; else EINVAL).  What others hold the kernel must tell of: the loop
 *    has one wait in the kernel for each lock that its operations wait for, by io_uring or by a
 *    helper thread (fw_loop_options; or FURWOCK_LOOP_ENGINE=auto, uring or thread in the
 *    environment, for loops with FW_LOOP_AUTO).
 *  - A lock that an operation was granted is held by its task, in a participant slot that all tasks
 *    of the process share: that of a thread of the library, the agent, which the first operation
 *    on a region starts.  A task may therefore hold it across threads, which may end; and if the
 *    process is killed, or calls exec, others find its tasks' locks as they find its threads':
 *    EOWNERDEAD.  A forked child's tasks hold nothing.
 *  - The owner is the task: others are told EPERM, and the task itself, if it asks again, EDEADLK.
 *    (Of two tasks out of 16,383 the process may not know which one it is, if its tasks hold
 *    thousands of locks: then the other is not refused, and the task itself waits.)  An operation
 *    whose task is 0 asks for the thread that submits it, in the agent's name.  A lock that was
 *    taken by an operation is released by fw_task_ipc_mutex_unlock and its like; a mutex also by
 *    fw_ipc_mutex_unlock in a thread that acts as the task (fw_task_switch).  One that was taken by
 *    a blocking call belongs to the thread, whatever it acts as.
 *  - Where fw_await_cancel returns false, fw_await_poll says with what the operation had ended: 0,
 *    EOWNERDEAD, or an error, with which the task holds nothing.
 *  - To other processes all tasks of a process are one reader of a read-write lock, which reads
 *    from the first of them on until the last has gone; each phase admits all of them that wait.
 *    For every 16 locks that they read at a time the process has an agent (64 at most).
 *  - Order.  Operations of one loop that wait for one lock are served first come, first served.
 *    Between loops, threads and processes it is as in furwock/ipc/mutex.h: whoever is awake may
 *    take a free lock, sleepers are woken in the order in which they came.  A task that releases a
 *    mutex for which others of its process wait gives it to the one that has waited longest, but
 *    not more than 16 times in a row, nor for longer than 0.5 ms; then it is free for all.
 *  - fw_region_close does not unmap a region while operations wait there, tasks hold locks there,
 *    or its loops have not been run for 40 ms since (for an adopted one: EBUSY).
 *  - Until a loop has been run for 60 ms after the last of its operations on a lock has ended, or
 *    was cancelled, a wake there may go to the loop.  If it is not run, others who wait for that
 *    lock find it free at their next re-check only: after 40 ms, or up to a minute if they have
 *    waited for long.  So run it that much longer, or destroy it, before its thread turns to other
 *    things.
 *  - If a process is killed, its operations leave at most one needless wake, and those of others
 *    go on.  A death that the kernel marks is noticed at once by an operation that has waited for
 *    40 ms, and by then by others.
 *
 * Example: a task that changes an account in shared memory, and never blocks its thread
 *
 *     struct transfer {
 *         fw_await wait; // first, so that finish finds the rest
 *         fw_task task;
 *         fw_ipc_mutex *lock;
 *         long *balance, amount;
 *         int error;
 *     };
 *
 *     static void finish(fw_await *wait, int error)
 *     {
 *         struct transfer *t = (struct transfer *)wait;
 *
 *         if (error == EOWNERDEAD) // one word: it was changed, or was not
 *             error = fw_task_ipc_mutex_consistent(t->lock, t->task);
 *         if (error == 0) {
 *             *t->balance += t->amount;
 *             error = fw_task_ipc_mutex_unlock(t->lock, t->task);
 *         }
 *         t->error = error;
 *     }
 *
 *     void start(struct transfer *t, fw_loop *loop)
 *     {
 *         int error;
 *
 *         fw_await_init(&t->wait, loop, t->task, finish);
 *         error = fw_await_ipc_mutex(&t->wait, t->lock, NULL);
 *         if (error != EINPROGRESS)
 *             finish(&t->wait, error);
 *     }
 */

/*
 * Asks for the mutex.  Beside what furwock/await.h says of submit calls (and so `done`):
 *   EOWNERDEAD        the task has it, and its previous owner died: as in furwock/ipc/mutex.h.  (If
 *                     the operation is dropped, the next owner is told.)
 *   EDEADLK           the task holds it already
 *   ENOTRECOVERABLE, EUCLEAN   as there
 *   EINVAL            no region of this process has it, or the operation has no loop
 *   EAGAIN            the region has no free slot for the agent, or no thread can be started
 *   ENOMEM, or what the kernel says if the engine that was asked for cannot be had
 */
FW_NODISCARD FW_API int fw_await_ipc_mutex(fw_await *op, fw_ipc_mutex *m,
                                           const fw_deadline *deadline);

/*
 * Releases the mutex, which the task holds (0: the calling thread); else as fw_ipc_mutex_unlock.
 * EPERM: it does not hold it.
 */
FW_API int fw_task_ipc_mutex_unlock(fw_ipc_mutex *m, fw_task task);

/*
 * After EOWNERDEAD: declares the data consistent, as fw_ipc_mutex_consistent, for the task that
 * holds the mutex (0: the calling thread).  EPERM: it does not hold it.
 */
FW_API int fw_task_ipc_mutex_consistent(fw_ipc_mutex *m, fw_task task);

/* Takes a permit.  EINVAL, EUCLEAN, EAGAIN, ENOMEM as above.  A drop posts it again. */
FW_NODISCARD FW_API int fw_await_ipc_sem(fw_await *op, fw_ipc_sem *s, const fw_deadline *deadline);

/*
 * Takes a permit.  EOWNERDEAD: the task has it, and its previous holder died with it (if the
 * operation is dropped, the next one is told).  EINVAL, EUCLEAN, EAGAIN, ENOMEM as above; EINVAL
 * also: the permits were not made.
 */
FW_API int fw_await_ipc_permits(fw_await *op, fw_ipc_permits *u, const fw_deadline *deadline);

/* Of an operation that has ended with 0 or EOWNERDEAD: which permit. */
FW_API uint32_t fw_await_ipc_permit(const fw_await *op);

/* Gives this one back for the task that holds it (0: the calling thread): 0; else EPERM. */
FW_API int fw_task_ipc_permits_give(fw_ipc_permits *u, uint32_t permit, fw_task task);

/* Gives any one of the task's permits back (0: the calling thread's).  EPERM: it has none. */
FW_API int fw_task_ipc_permits_post(fw_ipc_permits *u, fw_task task);

/*
 * Takes the lock for reading.  As fw_ipc_rwlock_rdlock: EDEADLK: the task writes; EOWNERDEAD: a
 * writer died, the data are not repaired, and the task holds *nothing*.  What it reads already a
 * task may read again, whoever waits.  EAGAIN also: tasks of this process read 1024 locks.
 */
FW_API int fw_await_ipc_rdlock(fw_await *op, fw_ipc_rwlock *l, const fw_deadline *deadline);

/*
 * For writing.  As fw_ipc_rwlock_wrlock: EDEADLK: the task holds it in any mode; EOWNERDEAD: the
 * task writes, and its predecessor died (if the operation is dropped, the next one is told).  From
 * when no other has it, until the readers have left, the first operation of a loop keeps new
 * readers out; a cancel ends that.
 */
FW_API int fw_await_ipc_wrlock(fw_await *op, fw_ipc_rwlock *l, const fw_deadline *deadline);

/* Releases one read lock of the task (0: of the calling thread).  EPERM: it has none. */
FW_API int fw_task_ipc_rwlock_rdunlock(fw_ipc_rwlock *l, fw_task task);

/* For the task that writes, as fw_ipc_rwlock_wrunlock: else EPERM. */
FW_API int fw_task_ipc_rwlock_wrunlock(fw_ipc_rwlock *l, fw_task task);

/* For the task that writes, as fw_ipc_rwlock_consistent: else EPERM. */
FW_API int fw_task_ipc_rwlock_consistent(fw_ipc_rwlock *l, fw_task task);

/*
 * Waits for a signal, with a mutex that the task holds (taken by an operation): never returns 0.
 * EINPROGRESS: the mutex was given up.  It ends with 0, perhaps spuriously, ETIMEDOUT or
 * EOWNERDEAD, and the mutex held; or with ENOTRECOVERABLE or EUCLEAN, and it is not.  A cancel that
 * returns true leaves it given up, and a signal that the operation had to another.
 *   EPERM   the task does not hold the mutex; EINVAL: they do not lie in the same region
 */
FW_API int fw_await_ipc_cond(fw_await *op, fw_ipc_cond *c, fw_ipc_mutex *m,
                             const fw_deadline *deadline);

FW_END_DECLS

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/ipc/await.h>
#endif

#endif
