/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_AWAIT_H
#define FURWOCK_AWAIT_H

#include <stdbool.h>
#include <stdint.h>

#include <furwock/bits/annotate.h>
#include <furwock/bits/api.h>
#include <furwock/bits/await.h>
#include <furwock/bits/deadline.h>
#include <furwock/cond.h>
#include <furwock/event.h>
#include <furwock/latch.h>
#include <furwock/mutex.h>
#include <furwock/rwlock.h>
#include <furwock/sem.h>

FW_BEGIN_DECLS

/*
 * await: waits for the locks of one process without a thread.  An *operation* (fw_await, 128 bytes
 * of the caller's) asks for a lock on behalf of a *task*.  If the lock is free it is taken at once,
 * by the same instructions as in the blocking call.  Else the operation is queued in user space;
 * whoever releases the lock gives it to the task, and tells a *loop*, or calls a *waker*.
 * (Locks between processes: furwock/ipc/await.h.)
 *
 * Rules
 *  - A submit call (fw_await_mutex and its like) returns 0: the task has what it asked for, and
 *    `done` is not called; EINPROGRESS: the operation is queued; or an error: neither.  From
 *    EINPROGRESS on exactly one of these happens, once: done(op, 0), done(op, ETIMEDOUT),
 *    fw_await_cancel returns true, or fw_await_drop.  Misuse is what it is in the blocking call.
 *  - Cancellation is exact and immediate, and asks nobody: once fw_await_cancel has returned, the
 *    task either has the lock (false) or never will by this operation (true).
 *  - An operation must not move or be freed between EINPROGRESS and its end.  After `done` was
 *    called, a cancel or a drop, nobody knows its memory.  `done` may free it, submit it again, and
 *    call anything here but fw_loop_run, fw_loop_wait and fw_loop_destroy of its own loop.
 *  - An operation that was granted a lock *has* it from that moment, though its loop has not told
 *    it.  A loop that is not run for long therefore holds its tasks' locks for as long.
 *    fw_loop_late and fw_await_late count such cases.
 *  - The owner of a mutex or a read-write lock is the task: a task may hold it across threads.
 *    fw_task_switch makes the calling thread act as a task, for every call of the library; or a
 *    lock is released by fw_task_mutex_unlock and its like.  Semaphores, events and latches have no
 *    owner.  An operation whose task is 0 acts for the thread that submits it.
 *  - A loop belongs to one thread at a time, and so do its operations: they are submitted, polled,
 *    cancelled and dropped by that thread.  Other threads may grant, and call fw_loop_post and
 *    fw_loop_late.  An operation with a waker belongs to whoever polls it.
 *  - Order.  Operations that wait for one object are served first come, first served.  Beside
 *    blocked threads: a mutex says it in furwock/mutex.h.  A semaphore or an automatic event gives
 *    its units in turns, one to a thread (greedy among threads, as ever), the next to an operation.
 *    A manual event and a latch release all.  A condition variable and a read-write lock have one
 *    queue for both, with real-time threads before operations, and an operation that is granted a
 *    read-write lock is always handed it.  No running thread can overtake an operation that waits
 *    for a semaphore or an automatic event, except for a unit that was due to a blocked thread.
 *  - While operations wait for a semaphore, an event or a latch, posting, setting and counting it
 *    down are not safe in signal handlers.  No call here is.
 *  - A semaphore, event or latch that operations wait for must live until the call that released
 *    the last of them has returned, and a condition variable as furwock/cond.h says.
 *  - After fork(3) the child has no operations: none is granted there, and loops and operations of
 *    the parent return EINVAL (fw_await_cancel: true).  fw_loop_destroy frees such a loop.
 *
 * An asynchronous wait was asked for by Franke, Russell and Kirkwood, "Fuss, Futexes and Furwocks"
 * (OLS 2002), section 5, for user-level thread packages; their descriptor per wait (FUTEX_FD) lost
 * wakes and is gone.  Here the wait queue is the lock's own, and a descriptor belongs to a loop.
 *
 * Example: a task that changes an account, and never blocks the thread that runs it
 *
 *     struct deposit {
 *         fw_await wait; // first, so that finish finds the rest
 *         fw_task task;
 *         fw_mutex *lock;
 *         long *balance, amount;
 *         bool is_finished;
 *     };
 *
 *     static void finish(fw_await *wait, int error)
 *     {
 *         struct deposit *d = (struct deposit *)wait;
 *
 *         if (error == 0) {
 *             *d->balance += d->amount;
 *             fw_task_mutex_unlock(d->lock, d->task);
 *         }
 *         d->is_finished = true;
 *     }
 *
 *     void start(struct deposit *d, fw_loop *loop)
 *     {
 *         int error;
 *
 *         fw_await_init(&d->wait, loop, d->task, finish);
 *         error = fw_await_mutex(&d->wait, d->lock, NULL);
 *         if (error != EINPROGRESS)
 *             finish(&d->wait, error); // the lock was free
 *     }
 */

/*
 * --- Tasks --------------------------------------------------------------------------------------
 */

/* A new task.  Returns 0, or EAGAIN if 4 194 303 exist. */
FW_NODISCARD FW_API int fw_task_begin(fw_task *task);

/*
 * The task is over: it holds nothing and waits for nothing, and no thread acts as it.  Its number
 * may be given out again.  Ending what is no task, or what the calling thread acts as, panics.
 */
FW_API void fw_task_end(fw_task task);

/*
 * From now on the calling thread acts as that task (0: as itself) in every call of the library: it
 * owns what the task owns, and nothing else.  Returns what it was before.  A task is acted for by
 * one thread at a time; the threads see to it that its calls are ordered (as a scheduler's lock
 * does).  A forked child has the parent's tasks, and goes on as the one that called fork.
 */
FW_API fw_task fw_task_switch(fw_task task);

/* Releases the mutex, which the task holds, whichever thread calls; else as fw_mutex_unlock. */
FW_API void fw_task_mutex_unlock(fw_mutex *m, fw_task task);

/*
 * Releases the lock that the task holds for reading, whichever thread calls; else as
 * fw_rwlock_rdunlock.
 */
FW_API void fw_task_rwlock_rdunlock(fw_rwlock *l, fw_task task);

/*
 * Releases the lock that the task holds for writing, whichever thread calls; else as
 * fw_rwlock_wrunlock.
 */
FW_API void fw_task_rwlock_wrunlock(fw_rwlock *l, fw_task task);

/*
 * --- Loops --------------------------------------------------------------------------------------
 *
 * Where operations are delivered.  A loop has an inbox; whoever grants an operation puts it there,
 * and makes the loop's descriptor readable if nobody is running the loop.
 */

/* How the loop waits for what other processes hold; locks of one process need none of them. */
typedef enum fw_loop_engine {
    FW_LOOP_AUTO = 0,  /* the first of those below that works here */
    FW_LOOP_URING = 1, /* io_uring's futex operations, Linux 6.7 */
    FW_LOOP_THREAD = 2 /* a helper thread */
} fw_loop_engine;

typedef struct fw_loop_options {
    fw_loop_engine engine;
    uint32_t reserved; /* 0 */
} fw_loop_options;

/*
 * Makes a loop; options may be NULL.  Returns 0; EINVAL for unknown options; ENOMEM; EMFILE or
 * ENFILE (a loop has two descriptors, and one more for each clock on which it has had deadlines;
 * with locks of regions, one for the monotonic clock in any case, and what their engine needs).
 */
FW_NODISCARD FW_API int fw_loop_create(fw_loop **loop, const fw_loop_options *options);

/* Frees it.  Returns 0, or EBUSY while operations wait in it or are not delivered: cancel them. */
FW_API int fw_loop_destroy(fw_loop *loop);

/*
 * A descriptor for poll(2), epoll(7), uv_poll or add_reader: readable (level-triggered) while
 * fw_loop_run has something to do.  It is the loop's: do not read, write or close it.  Ask for it
 * only if something other than fw_loop_wait waits on it: grants cost more from then on.
 */
FW_API int fw_loop_fd(fw_loop *loop);

/*
 * Calls `done` for operations that were granted or whose deadline has passed, `most` at most (0: no
 * limit, but not for those that are granted meanwhile, without end: each call ends).  Returns how
 * many.  Never blocks.  Returns 0 in a forked child.
 */
FW_API unsigned fw_loop_run(fw_loop *loop, unsigned most);

/*
 * Blocks until fw_loop_run has something to do (0), or until the deadline (ETIMEDOUT; NULL: none).
 * EINTR: a signal handler ran.  EINVAL: the deadline is malformed, or after fork.
 */
FW_API int fw_loop_wait(fw_loop *loop, const fw_deadline *deadline);

/*
 * Any thread: done(op, 0) is to be called by the loop of the operation, which is idle.  For
 * schedulers.  Returns 0; EBUSY if it waits already; EINVAL if it has no loop, or after fork.
 */
FW_API int fw_loop_post(fw_await *op);

/* Any thread: how many operations were granted 10 ms ago or more, and are not delivered yet. */
FW_API unsigned fw_loop_late(fw_loop *loop);

/* How many operations of this process were delivered or polled 10 ms or more after the grant. */
FW_API uint64_t fw_await_late(void);

/*
 * --- Operations ---------------------------------------------------------------------------------
 */
/*
 * Prepares an operation that its loop delivers, for the task.  done may be NULL: then it is polled.
 * To use an operation again, submit it again; it keeps loop, task and done.
 */
FW_API void fw_await_init(fw_await *op, fw_loop *loop, fw_task task,
                          void (*done)(fw_await *op, int error)) FW_ABI_NAME_(fw_await_init);

/*
 * Prepares an operation without a loop: whoever grants it calls wake(arg) once, as the last thing
 * in its release, and outside of all internal locks; arg is given away with that.  wake has the
 * task polled later, elsewhere: it must not run the task, nor block.  No deadlines.
 * If a submit call does not return EINPROGRESS, or the operation is cancelled or dropped and that
 * returns true, wake is not called, and arg is the caller's; if false, it was called, or will be.
 */
FW_API void fw_await_init_waker(fw_await *op, fw_task task, void (*wake)(void *arg), void *arg);

/*
 * Prepares an operation with a waker, as fw_await_init_waker, and with a loop, which one on a lock
 * of a region needs; others lose nothing by it.  The loop watches what other processes hold, and
 * has no more to do with the operation: whoever grants it calls wake, be it a release in any
 * thread, or fw_loop_run, or a call on another operation of the loop, in which it must not use the
 * loop.  All calls on the operation belong to the thread that has the loop; a lock around them and
 * around the loop's makes it any thread's.
 */
FW_API void fw_await_init_loop_waker(fw_await *op, fw_loop *loop, fw_task task,
                                     void (*wake)(void *arg), void *arg);

/*
 * EINPROGRESS while it waits, else the result with which it has ended, 0 if it was granted.  Takes
 * no lock while it waits.  (A condition variable with a waker: once it is signalled, poll queues it
 * for the mutex, and wake(arg) may be called again.)
 */
FW_NODISCARD FW_API int fw_await_poll(fw_await *op);

/*
 * As fw_await_poll; and if that is EINPROGRESS, the next wake is wake(arg), and *old is the former
 * argument, which is the caller's again, or NULL if it was given away.  old may be NULL.
 */
FW_API int fw_await_set_waker(fw_await *op, void (*wake)(void *arg), void *arg, void **old);

/*
 * True: it waits no longer, and has not got anything (also if it was idle).  False: it was granted;
 * the task has the lock, unit or signal; done will not be called.  For fw_await_cond: true: the
 * mutex is not held, and a signal that it had was passed on; false: the mutex is held.
 * fw_await_poll then says with what it had ended: 0, or ETIMEDOUT for a condition variable.
 */
FW_NODISCARD FW_API bool fw_await_cancel(fw_await *op);

/* Cancels it, and gives back what was granted.  Returns what fw_await_cancel would. */
FW_API bool fw_await_drop(fw_await *op);

/*
 * Asks for the mutex.  The deadline may be NULL; it needs a loop.  This, and every submit call
 * below, returns 0, EINPROGRESS (see the rules), or
 *   ETIMEDOUT  what it asks for is not to be had at once, and the deadline has passed
 *   EINVAL     the deadline is malformed, or there is one with a waker; there is neither a loop nor
 *              a waker; or after fork
 *   EBUSY      the operation still waits, or was not delivered
 *   ECANCELED  another operation of its group has ended already
 *   ENOMEM, EMFILE  the loop cannot have a timer
 */
FW_NODISCARD FW_API int fw_await_mutex(fw_await *op, fw_mutex *m, const fw_deadline *deadline);

/*
 * Asks for a unit of the semaphore; errors as for fw_await_mutex.  A drop posts a granted unit
 * again.
 */
FW_NODISCARD FW_API int fw_await_sem(fw_await *op, fw_sem *s, const fw_deadline *deadline);

/*
 * Waits until the event is set; errors as for fw_await_mutex.  A granted automatic event has been
 * reset; a drop sets it again.
 */
FW_NODISCARD FW_API int fw_await_event(fw_await *op, fw_event *e, const fw_deadline *deadline);

/* Waits until the latch is open; errors as for fw_await_mutex. */
FW_NODISCARD FW_API int fw_await_latch(fw_await *op, fw_latch *l, const fw_deadline *deadline);

/*
 * Asks for the lock for reading; errors as for fw_await_mutex, and EAGAIN: too many read locks are
 * held.
 */
FW_NODISCARD FW_API int fw_await_rdlock(fw_await *op, fw_rwlock *l, const fw_deadline *deadline);

/* Asks for the lock for writing; errors as for fw_await_mutex. */
FW_NODISCARD FW_API int fw_await_wrlock(fw_await *op, fw_rwlock *l, const fw_deadline *deadline);

/*
 * Waits for a signal, with a mutex that the task holds: never returns 0.  EINPROGRESS: the mutex
 * was given up.  It ends with the mutex held again, also with ETIMEDOUT, which done is given after
 * the deadline.  An error: the mutex was not given up.
 */
FW_NODISCARD FW_API int fw_await_cond(fw_await *op, fw_cond *c, fw_mutex *m,
                                      const fw_deadline *deadline);

/* Ends when the deadline has come: done(op, 0).  Returns 0 if it has, else EINPROGRESS. */
FW_NODISCARD FW_API int fw_await_timer(fw_await *op, const fw_deadline *deadline);

/*
 * --- The first of several -----------------------------------------------------------------------
 *
 * Operations of one task that are added to a group before they are submitted: one of them ends, by
 * a grant or by a deadline, and from then on the others never will.  They must still be cancelled,
 * before they are used again or freed: that returns true.  A group serves once.
 */

/* Makes an empty group. */
FW_API void fw_await_group_init(fw_await_group *group);

/* Adds an operation, which does not wait, to the group; before any of the group is submitted. */
FW_API void fw_await_group_add(fw_await_group *group, fw_await *op);

/* The operation that has ended; NULL: none yet. */
FW_API fw_await *fw_await_group_winner(const fw_await_group *group);

/* Internal, for tools that look into a process (furwock who): the queues of those that wait. */
FW_API extern struct fw_waitqueue_table_ fw_waitqueues_;

/*
 * Internal, for programs that are built for a race detector (furwock/bits/annotate.h).
 */
enum fw_await_has_ {
    FW_AWAIT_WRITES_ = 0, /* its object is a lock, and held alone */
    FW_AWAIT_READS_ = 1,  /* a lock, and shared */
    FW_AWAIT_UNIT_ = 2,   /* a unit, a permit, or it was let through */
    FW_AWAIT_NOTHING_ = 3
};

/* What the operation has of op->object_, if it has ended with that result. */
FW_API enum fw_await_has_ fw_await_has_(const fw_await *op, int error);

/* Is it queued, or granted and not delivered? */
FW_API bool fw_await_waits_(const fw_await *op);

/* Is its owner the calling thread, or the task that the thread acts as? */
FW_API bool fw_await_is_mine_(const fw_await *op);

FW_END_DECLS

#ifdef FW_ANNOTATED_
#include <furwock/bits/annotated/await.h>
#endif

#endif
