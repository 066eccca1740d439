/* SPDX-License-Identifier: MIT */
/*
 * fw_await_mutex: submits an operation for an fw_mutex.  Contract: furwock/await.h.  States and
 * invariants: thread/mutex_queue.c.
 */
#include <errno.h>
#include <stddef.h>

#include <furwock/await.h>
#include <furwock/mutex.h>

#include "await/kind.h"
#include "await/operation.h"
#include "core/attributes.h"
#include "core/waitqueue.h"
#include "thread/mutex_misuse.h"
#include "thread/mutex_queue.h"

/* free -> 1 -> task, as fw_mutex_take_. */
static bool take(fw_mutex *m, uint32_t task)
{
    if (fw_xchg8_acquire((fw_byte_ *)&m->state_, FW_ID_HELD) != 0)
        return false;
    fw_store32_relaxed((fw_half_ *)&m->state_, task);
    return true;
}

/* True: it has the mutex.  False: it is queued, and perhaps gone already. */
static bool join(fw_await *op, fw_mutex *m)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(m);
    bool has_taken = fw_mutex_join_queue_(bucket, m, op);

    fw_waitqueue_unlock_(bucket);
    return has_taken;
}

COLD static int await_slow(fw_await *op, fw_mutex *m, const fw_deadline *deadline)
{
    fw_loop *loop = op->loop_;
    int error;

    refuse_owner(m, op->task_);
    error = fw_operation_begin_(op, FW_OPERATION_MUTEX, m, deadline);
    if (error != 0)
        return error;
    if (join(op, m))
        return fw_operation_taken_(op, FW_OPERATION_MUTEX, m);
    return fw_operation_queued_(loop, op, deadline);
}

int fw_await_mutex(fw_await *op, fw_mutex *m, const fw_deadline *deadline)
{
    if (fw_operation_is_busy_(op))
        return EBUSY;
    if (__builtin_expect(take(m, op->task_), 1))
        return fw_operation_taken_(op, FW_OPERATION_MUTEX, m);
    return await_slow(op, m, deadline);
}

int fw_await_mutex_again_(fw_await *op)
{
    fw_mutex *m = (fw_mutex *)(uintptr_t)op->object_;

    return take(m, op->task_) || join(op, m) ? 0 : EINPROGRESS;
}

static void left(struct fw_waitqueue_ *bucket, fw_await *op)
{
    fw_mutex_left_queue_(bucket, (fw_mutex *)(uintptr_t)op->object_, op);
    fw_waitqueue_unlock_(bucket);
}

static void give_back(fw_await *op)
{
    fw_task_mutex_unlock((fw_mutex *)(uintptr_t)op->object_, op->task_);
}

const struct fw_operation_kind_ fw_operation_mutex_ = {.left = left, .give_back = give_back};
