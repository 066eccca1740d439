/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a condition variable without a thread.  Contract: furwock/await.h.
 *
 * In two phases: the operation is queued at the variable, and its task gives the mutex up; once it
 * is signalled (SIGNALLED), or its deadline has passed, its loop or whoever polls it queues it at
 * the mutex, of which it is granted in the end.  So a release touches one bucket at a time.
 *
 * want_       object_       aux_          meaning
 * ----------  ------------  ------------  --------------------------------------------------------
 * FOR_SIGNAL  the variable  the mutex     waits to be signalled, or was (SIGNALLED)
 * HAS_SIGNAL  the mutex     the variable  has the signal, and waits for the mutex, or has it
 * TIMED_OUT   the mutex     the variable  has none, and waits for the mutex, or has it
 */
#include <furwock/await.h>

#include "await/loop.h"
#include "await/operation.h"
#include "sys/panic.h"
#include "thread/cond_queue.h"
#include "thread/mutex_queue.h"

enum { FOR_SIGNAL, HAS_SIGNAL, TIMED_OUT };

int fw_await_cond(fw_await *op, fw_cond *c, fw_mutex *m, const fw_deadline *deadline)
{
    uint32_t owner = owner_half(fw_load64_relaxed(&m->state_));
    fw_loop *loop = op->loop_;
    uint32_t task = op->task_;
    int error;

    if (owner != task)
        fw_panic_("condition variable waited on without the mutex", m, task,
                  (owner & MUTEX_HANDOFF) != 0 ? 0 : owner);
    error = fw_operation_begin_(op, FW_OPERATION_COND, c, deadline);
    if (error != 0)
        return error;
    op->aux_ = m;
    fw_cond_enqueue_(c, op); /* F:await-unlocks-first */
    fw_mutex_unlock_as_(m, task);
    return fw_operation_queued_(loop, op, deadline);
}

/* It is not queued any more, and goes to the mutex. */
static int go_to_mutex(fw_await *op, uint8_t why)
{
    void *c = (void *)(uintptr_t)op->object_;

    op->object_ = op->aux_;
    op->aux_ = c;
    op->want_ = why;
    op->yields_ = 0;
    op->result_ = 0;
    return fw_await_mutex_again_(op); /* F:await-not-again */
}

static int go_on(fw_await *op)
{
    if (op->loop_ != NULL)
        fw_loop_stop_timer_(op->loop_, op);
    return go_to_mutex(op, HAS_SIGNAL);
}

static int result(const fw_await *op)
{
    return op->want_ == TIMED_OUT ? ETIMEDOUT : 0;
}

static int expired(fw_await *op)
{
    int error = go_to_mutex(op, TIMED_OUT);

    return error == 0 ? ETIMEDOUT : error;
}

/* The signal that it had is another's. */
static void pass_signal_on(fw_await *op)
{
    fw_cond *c = op->want_ == FOR_SIGNAL ? (fw_cond *)(uintptr_t)op->object_ : op->aux_;

    if (op->want_ != TIMED_OUT)
        fw_cond_pass_on_(fw_waitqueue_lock_(c), c);
}

static bool stop(fw_await *op)
{
    if (op->want_ == FOR_SIGNAL)
        return fw_operation_leave_(op, &fw_operation_cond_);
    if (!fw_operation_leave_(op, &fw_operation_mutex_))
        return false;
    pass_signal_on(op); /* F:await-swallows-signal */
    return true;
}

static void give_back(fw_await *op)
{
    pass_signal_on(op);
    fw_task_mutex_unlock((fw_mutex *)(uintptr_t)op->object_, op->task_);
}

const struct fw_operation_kind_ fw_operation_cond_ = {.stop = stop,
                                                      .left = fw_cond_dequeued_,
                                                      .give_back = give_back,
                                                      .go_on = go_on,
                                                      .forsake = pass_signal_on,
                                                      .result = result,
                                                      .expired = expired};
