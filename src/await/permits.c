/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a semaphore, an event or a latch without a thread.  Contract: furwock/await.h.  The
 * queues: thread/permits_queue.c, thread/event.c, thread/latch.c.
 */
#include <furwock/await.h>

#include "await/operation.h"
#include "thread/event_queue.h"
#include "thread/permits.h"

/* After it was prepared: queued, or granted meanwhile. */
static int end(fw_await *op, fw_loop *loop, const fw_deadline *deadline, bool is_taken)
{
    if (is_taken)
        return fw_operation_taken_(op, op->kind_, op->object_);
    return fw_operation_queued_(loop, op, deadline);
}

static int await_permit(fw_await *op, uint64_t *state, const fw_deadline *deadline)
{
    fw_loop *loop = op->loop_;
    int error = fw_operation_begin_(op, FW_OPERATION_PERMITS, state, deadline);

    return error != 0 ? error : end(op, loop, deadline, fw_permits_enqueue_(state, op));
}

int fw_await_sem(fw_await *op, fw_sem *s, const fw_deadline *deadline)
{
    if (fw_operation_is_busy_(op))
        return EBUSY;
    if (fw_sem_take_(s))
        return fw_operation_taken_(op, FW_OPERATION_PERMITS, &s->state_);
    return await_permit(op, &s->state_, deadline);
}

int fw_await_event(fw_await *op, fw_event *e, const fw_deadline *deadline)
{
    fw_loop *loop = op->loop_;
    int error;

    if (fw_operation_is_busy_(op))
        return EBUSY;
    if (e->kind_ == FW_EVENT_AUTO)
        return await_permit(op, &e->state_, deadline);
    if (fw_event_is_set(e))
        return fw_operation_taken_(op, FW_OPERATION_EVENT, e);
    error = fw_operation_begin_(op, FW_OPERATION_EVENT, e, deadline);
    return error != 0 ? error : end(op, loop, deadline, fw_event_enqueue_(e, op));
}

int fw_await_latch(fw_await *op, fw_latch *l, const fw_deadline *deadline)
{
    fw_loop *loop = op->loop_;
    int error;

    if (fw_operation_is_busy_(op))
        return EBUSY;
    if (fw_latch_trywait(l) == 0)
        return fw_operation_taken_(op, FW_OPERATION_LATCH, l);
    error = fw_operation_begin_(op, FW_OPERATION_LATCH, l, deadline);
    return error != 0 ? error : end(op, loop, deadline, fw_latch_enqueue_(l, op));
}

/* No other thread can have waited for it, if it was full: it goes beyond the maximum then. */
static void give_permit_back(fw_await *op)
{
    fw_permits_post_((uint64_t *)(uintptr_t)op->object_, 1, FW_SEM_MAX);
}

/* The object's word says more than is true: legal. */
static void just_leave(struct fw_waitqueue_ *bucket, fw_await *op)
{
    (void)op;
    fw_waitqueue_unlock_(bucket);
}

static void give_nothing_back(fw_await *op)
{
    (void)op;
}

const struct fw_operation_kind_ fw_operation_permits_ = {.left = fw_permits_dequeued_,
                                                         .give_back = give_permit_back};
const struct fw_operation_kind_ fw_operation_event_ = {.left = just_leave,
                                                       .give_back = give_nothing_back};
const struct fw_operation_kind_ fw_operation_latch_ = {.left = just_leave,
                                                       .give_back = give_nothing_back};
