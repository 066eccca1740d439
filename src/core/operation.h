/* SPDX-License-Identifier: MIT */
#ifndef FW_CORE_OPERATION_H
#define FW_CORE_OPERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <furwock/bits/await.h>

#include "core/waitqueue.h"

/*
 * An operation (furwock/await.h) as the locks see it: one more kind of waiter in an object's wait
 * queue, which is granted what it waits for, and told later.
 *
 * state      meaning                                     left by
 * ---------  ------------------------------------------  -----------------------------------------
 * IDLE       prepared, or over                           its owner submits it: WAITING
 * WAITING    queued at an object                         a release: GRANTED, SIGNALLED, LOST;
 *                                                        its owner: OVER (cancel, deadline)
 * SIGNALLED  a condition variable's: has a signal, and   its loop or poll: WAITING, at the mutex,
 *            is to be queued for the mutex               or GRANTED; its owner: OVER
 * GRANTED    has what it asked for; is not told yet      its loop, poll or owner: OVER
 * LOST       another of its group has ended; unlinked    its owner: OVER
 * OVER       delivered, cancelled, dropped               its owner submits it again
 *
 * AW1  WAITING is entered and left only inside the lock that guards the queue (an object's bucket;
 *      a region's locks have another).  So exactly one of the ends in await.h happens, once.
 * AW2  An operation is put into its loop's inbox inside that same lock.  Whoever finds it GRANTED
 *      there finds it in the inbox, or with a waker that will be called.
 * AW3  After that lock was left, the releaser touches neither the object nor the operation.  The
 *      wake-up that may follow uses the loop only, which stays until it is done (inbox.h), or the
 *      waker's argument, which was taken inside.
 * AW4  After OVER nobody but the owner knows the operation.
 *
 * Legal:   to wake a loop that has nothing to do; LOST while the operation's own deadline runs.
 * Illegal: to touch an operation after its state was set to GRANTED or LOST and the lock left.
 */
enum fw_operation_state_ {
    FW_OPERATION_IDLE = 0,
    FW_OPERATION_WAITING = 1,
    FW_OPERATION_SIGNALLED = 2,
    FW_OPERATION_GRANTED = 3,
    FW_OPERATION_LOST = 4,
    FW_OPERATION_OVER = 5
};

/* What an operation waits for; src/await/operation.c has a row for each. */
enum fw_operation_kind_number_ {
    FW_OPERATION_POST,
    FW_OPERATION_TIMER,
    FW_OPERATION_MUTEX,
    FW_OPERATION_PERMITS,
    FW_OPERATION_EVENT,
    FW_OPERATION_LATCH,
    FW_OPERATION_COND,
    FW_OPERATION_RWLOCK,
    FW_OPERATION_REGION
};

/* In `generation_`, which releasers may read: beside the process's, that there is a waker. */
enum { FW_GENERATION_MASK_ = 0x0f, FW_HAS_WAKER_ = 0x80 };

/* Is its waker called when it is granted?  Else its loop has it in the inbox. */
static inline bool fw_operation_has_waker_(const fw_await *op)
{
    return (op->generation_ & FW_HAS_WAKER_) != 0;
}

/* Tells a program that is built for a race detector: furwock/bits/await.h. */
static inline void fw_operation_tell_(const fw_await *op, int error)
{
    fw_await_told_function_ *told = __atomic_load_n(&fw_await_told_, __ATOMIC_RELAXED);

    if (told != NULL)
        told(op, error);
}

/* Whoever wakes calls this once it has left all locks: call may be NULL. */
struct fw_wakeup_ {
    void (*call)(void *arg);
    void *arg;
};

static inline void fw_wakeup_(struct fw_wakeup_ w)
{
    if (w.call != NULL)
        w.call(w.arg);
}

/* The operation to which this node belongs. */
static inline fw_await *fw_operation_of_(struct fw_waiter_node_ *node)
{
    return (fw_await *)(void *)node;
}

static inline struct fw_waiter_node_ *fw_operation_node_(fw_await *op)
{
    return (struct fw_waiter_node_ *)(void *)op;
}

/* All further calls: inside the lock of the object's queue. */

/* Enqueues it behind all that wait for its object: -> WAITING. */
void fw_operation_enqueue_(struct fw_waitqueue_ *bucket, fw_await *op);

/* Claims the group of an operation, if it has one, for it.  False: another of it has ended. */
static inline bool fw_operation_win_(fw_await *op)
{
    fw_await *winner = NULL;

    return op->group_ == NULL ||
           __atomic_compare_exchange_n(&op->group_->winner_, &winner, op, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE) ||
           winner == op;
}

/* WAITING -> LOST: dequeues it. */
void fw_operation_lose_(struct fw_waitqueue_ *bucket, fw_await *op);

/*
 * Before anything is done for an operation that has its turn: false if another of its group has
 * ended.  Then it was dequeued (WAITING -> LOST), and the caller looks for the next.
 */
bool fw_operation_claim_(struct fw_waitqueue_ *bucket, fw_await *op);

/* WAITING -> GRANTED: dequeues it, and puts it into its loop's inbox. */
struct fw_wakeup_ fw_operation_grant_(struct fw_waitqueue_ *bucket, fw_await *op, int result);

/* The same for an operation that is in no bucket's queue (any more). */
struct fw_wakeup_ fw_operation_deliver_(fw_await *op, int result);

/* WAITING -> SIGNALLED: the same for one that is to be queued for its mutex next. */
struct fw_wakeup_ fw_operation_signal_(struct fw_waitqueue_ *bucket, fw_await *op);

/*
 * --- Many at once: those who are woken are kept until the bucket is left. -----------------------
 */
#define FW_WAKEUPS_MAX_ 32u

struct fw_wakeups_ {
    unsigned n;
    struct fw_wakeup_ of[FW_WAKEUPS_MAX_];
};

/* Adds one.  True: there is room for another. */
static inline bool fw_wakeups_add_(struct fw_wakeups_ *all, struct fw_wakeup_ w)
{
    if (w.call != NULL)
        all->of[all->n++] = w;
    return all->n < FW_WAKEUPS_MAX_;
}

/* After the bucket was left. */
static inline void fw_wakeups_(const struct fw_wakeups_ *all)
{
    for (unsigned i = 0; i < all->n; i++)
        all->of[i].call(all->of[i].arg);
}

#endif
