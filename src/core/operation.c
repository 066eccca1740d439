/* SPDX-License-Identifier: MIT */
/*
 * Operations in the wait queues of locks.  States and invariants: operation.h.
 *
 * Origin: whoever releases hands the lock to a task, and tells its loop: folly::coro::Mutex, and
 * tokio's semaphore before it, without loops; the queue outside of the lock is waitqueue.h's.
 */
#include "core/operation.h"

#include <errno.h>

#include <furwock/bits/atomic.h>

#include "core/inbox.h"
#include "sys/clock.h"

#define SAME_PLACE(a, b)                                                           \
    _Static_assert(offsetof(fw_await, a) == offsetof(struct fw_waiter_node_, b) && \
                       sizeof(((fw_await *)NULL)->a) ==                            \
                           sizeof(((struct fw_waiter_node_ *)NULL)->b),            \
                   "an operation begins with its node")

SAME_PLACE(next_, next);
SAME_PLACE(prev_, prev);
SAME_PLACE(object_, object);
SAME_PLACE(urgency_, urgency);
SAME_PLACE(is_operation_, is_operation);
_Static_assert(sizeof(fw_await) <= 128, "the public promise");

fw_await_told_function_ *fw_await_told_;

void fw_operation_enqueue_(struct fw_waitqueue_ *bucket, fw_await *op)
{
    struct fw_waiter_node_ *node = fw_operation_node_(op);

    node->is_operation = true;
    op->since_ = fw_clock_ns_();
    fw_store32_relaxed(&op->state_, FW_OPERATION_WAITING);
    fw_waitqueue_insert_(bucket, node, op->object_, 0);
}

void fw_operation_lose_(struct fw_waitqueue_ *bucket, fw_await *op)
{
    fw_waitqueue_remove_(bucket, fw_operation_node_(op));
    fw_store32_release(&op->state_, FW_OPERATION_LOST);
}

bool fw_operation_claim_(struct fw_waitqueue_ *bucket, fw_await *op)
{
    bool is_first = fw_operation_win_(op);

    if (!is_first)
        fw_operation_lose_(bucket, op);
    return is_first;
}

/* The waker's argument is given away, and then the operation may be gone. */
static struct fw_wakeup_ take_waker(fw_await *op, uint32_t state)
{
    struct fw_wakeup_ w = {op->call_.wake, op->more_.arg};

    op->is_listed_ = 1;
    op->since_ = fw_clock_coarse_ns_();
    fw_operation_tell_(op, EINPROGRESS);
    fw_store32_release(&op->state_, state);
    return w;
}

static struct fw_wakeup_ tell(fw_await *op, uint32_t state)
{
    if (fw_operation_has_waker_(op))
        return take_waker(op, state);
    return fw_inbox_put_((struct fw_inbox_ *)op->loop_, op, state);
}

struct fw_wakeup_ fw_operation_deliver_(fw_await *op, int result)
{
    op->result_ = (uint16_t)result;
    return tell(op, FW_OPERATION_GRANTED);
}

struct fw_wakeup_ fw_operation_grant_(struct fw_waitqueue_ *bucket, fw_await *op, int result)
{
    fw_waitqueue_remove_(bucket, fw_operation_node_(op));
    return fw_operation_deliver_(op, result);
}

struct fw_wakeup_ fw_operation_signal_(struct fw_waitqueue_ *bucket, fw_await *op)
{
    fw_waitqueue_remove_(bucket, fw_operation_node_(op));
    return tell(op, FW_OPERATION_SIGNALLED);
}
