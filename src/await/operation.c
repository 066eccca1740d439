/* SPDX-License-Identifier: MIT */
/*
 * The life of an operation, as its owner sees it.  States and invariants: core/operation.h.  How
 * an object's submit call is made: operation.h.
 */
#include "await/operation.h"
#include "core/linkable.h"

#include <stddef.h>

#include "await/loop.h"
#include "core/inbox.h"
#include "sys/clock.h"
#include "sys/fork.h"
#include "sys/thread.h"

static const struct fw_operation_kind_ *const kinds[] = {
    [FW_OPERATION_POST] = &fw_operation_post_,       [FW_OPERATION_TIMER] = &fw_operation_timer_,
    [FW_OPERATION_PERMITS] = &fw_operation_permits_, [FW_OPERATION_EVENT] = &fw_operation_event_,
    [FW_OPERATION_LATCH] = &fw_operation_latch_,     [FW_OPERATION_RWLOCK] = &fw_operation_rwlock_,
    [FW_OPERATION_MUTEX] = &fw_operation_mutex_,     [FW_OPERATION_COND] = &fw_operation_cond_,
    [FW_OPERATION_REGION] = &fw_operation_region_,
};

const struct fw_operation_kind_ *fw_operation_kind_(const fw_await *op)
{
    return kinds[op->kind_];
}

void fw_await_init(fw_await *op, fw_loop *loop, fw_task task, void (*done)(fw_await *, int))
{
    *op = (fw_await){.task_ = task != 0 ? task : fw_self_(), .loop_ = loop, .call_.done = done};
}
FW_LINKABLE_(fw_await_init);

void fw_await_init_loop_waker(fw_await *op, fw_loop *loop, fw_task task, void (*wake)(void *),
                              void *arg)
{
    *op = (fw_await){.task_ = task != 0 ? task : fw_self_(),
                     .loop_ = loop,
                     .generation_ = FW_HAS_WAKER_,
                     .call_.wake = wake};
    op->more_.arg = arg;
}

void fw_await_init_waker(fw_await *op, fw_task task, void (*wake)(void *), void *arg)
{
    fw_await_init_loop_waker(op, NULL, task, wake, arg);
}

void fw_await_group_init(fw_await_group *group)
{
    __atomic_store_n(&group->winner_, NULL, __ATOMIC_RELAXED);
}

void fw_await_group_add(fw_await_group *group, fw_await *op)
{
    op->group_ = group;
}

fw_await *fw_await_group_winner(const fw_await_group *group)
{
    return __atomic_load_n(&group->winner_, __ATOMIC_ACQUIRE);
}

bool fw_operation_is_stale_(const fw_await *op)
{
    return op->loop_ != NULL ? !fw_loop_is_here_(op->loop_)
                             : (op->generation_ & FW_GENERATION_MASK_) != fw_fork_generation_();
}

int fw_operation_taken_slow_(fw_await *op, unsigned kind, const void *object)
{
    op->kind_ = (uint8_t)kind;
    op->object_ = object;
    op->result_ = 0;
    fw_store32_relaxed(&op->state_, FW_OPERATION_OVER);
    if (fw_await_group_winner(op->group_) == NULL && fw_operation_win_(op))
        return 0; /* (a group serves once: also not the same again) */
    fw_operation_kind_(op)->give_back(op);
    return ECANCELED;
}

int fw_operation_begin_(fw_await *op, unsigned kind, const void *object,
                        const fw_deadline *deadline)
{
    fw_loop *loop = op->loop_;

    if (fw_operation_is_busy_(op))
        return EBUSY;
    if ((loop != NULL ? !fw_loop_is_here_(loop) : !fw_operation_has_waker_(op)) ||
        (fw_operation_has_waker_(op) && deadline != NULL) || !fw_deadline_is_valid_(deadline))
        return EINVAL;
    if (fw_deadline_is_over_(deadline))
        return ETIMEDOUT;
    if (op->group_ != NULL && fw_await_group_winner(op->group_) != NULL)
        return ECANCELED;
    op->kind_ = (uint8_t)kind;
    op->generation_ = (uint8_t)(fw_fork_generation_() | (op->generation_ & FW_HAS_WAKER_));
    op->object_ = object;
    op->is_listed_ = 0;
    op->want_ = op->is_designated_ = op->starves_ = op->yields_ = 0;
    return deadline != NULL ? fw_loop_prepare_timer_(loop, deadline->clock) : 0;
}

int fw_operation_queued_(fw_loop *loop, fw_await *op, const fw_deadline *deadline)
{
    if (loop != NULL)
        fw_loop_add_(loop, op, deadline);
    return EINPROGRESS;
}

bool fw_operation_leave_(fw_await *op, const struct fw_operation_kind_ *kind)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(op->object_);
    uint32_t state = fw_load32_relaxed(&op->state_);

    if (state != FW_OPERATION_WAITING) {
        fw_waitqueue_unlock_(bucket);
        return state == FW_OPERATION_LOST;
    }
    fw_waitqueue_remove_(bucket, fw_operation_node_(op));
    fw_store32_relaxed(&op->state_, FW_OPERATION_OVER);
    kind->left(bucket, op);
    return true;
}

static bool stop(fw_await *op)
{
    const struct fw_operation_kind_ *kind = fw_operation_kind_(op);

    return kind->stop != NULL ? kind->stop(op) : fw_operation_leave_(op, kind);
}

/* Takes it out of whatever it is in: it is OVER. */
static void end(fw_await *op)
{
    if (op->loop_ != NULL)
        fw_loop_remove_(op->loop_, op);
    fw_store32_relaxed(&op->state_, FW_OPERATION_OVER);
}

/* It has ended with what was granted: says what that is, where its kind does. */
static void note_result(fw_await *op)
{
    const struct fw_operation_kind_ *kind = fw_operation_kind_(op);

    if (kind->result != NULL)
        op->result_ = (uint16_t)kind->result(op);
}

int fw_operation_end_(fw_await *op)
{
    fw_loop_note_late_(op);
    end(op);
    note_result(op);
    return op->result_;
}

int fw_operation_expire_(fw_await *op)
{
    const struct fw_operation_kind_ *kind = fw_operation_kind_(op);

    if (fw_load32_acquire(&op->state_) == FW_OPERATION_LOST || !stop(op))
        return EINPROGRESS;
    if (!fw_operation_win_(op)) {
        fw_store32_relaxed(&op->state_, FW_OPERATION_LOST); /* its owner ends it */
        return EINPROGRESS;
    }
    return kind->expired != NULL ? kind->expired(op) : ETIMEDOUT;
}

/* As fw_await_cancel, without the result. */
static bool cancel(fw_await *op)
{
    uint32_t state = fw_load32_acquire(&op->state_);
    bool was_granted;

    if (state == FW_OPERATION_IDLE || state == FW_OPERATION_OVER)
        return true;
    if (fw_operation_is_stale_(op)) {
        fw_store32_relaxed(&op->state_, FW_OPERATION_OVER);
        return true;
    }
    was_granted = state != FW_OPERATION_LOST && !stop(op);
    if (was_granted && fw_load32_acquire(&op->state_) == FW_OPERATION_SIGNALLED) {
        fw_operation_kind_(op)->forsake(op); /* F:await-keeps-signal */
        was_granted = false;
    }
    end(op);
    return !was_granted;
}

bool fw_await_cancel(fw_await *op)
{
    if (cancel(op))
        return true;
    note_result(op);
    return false;
}

bool fw_await_drop(fw_await *op)
{
    if (cancel(op))
        return true;
    fw_operation_kind_(op)->give_back(op);
    return false;
}

/* SIGNALLED, and told: goes on. */
static int go_on(fw_await *op)
{
    int error;

    if (!fw_operation_has_waker_(op))
        fw_inbox_remove_(&op->loop_->inbox, op);
    op->is_listed_ = 0; /* the waker is used once more */
    error = fw_operation_kind_(op)->go_on(op);
    if (error == 0)
        end(op);
    return error;
}

int fw_await_poll(fw_await *op)
{
    switch (fw_load32_acquire(&op->state_)) {
    case FW_OPERATION_IDLE:
        return EINVAL;
    case FW_OPERATION_WAITING:
        return fw_operation_is_stale_(op) ? EINVAL : EINPROGRESS;
    case FW_OPERATION_SIGNALLED:
        return fw_operation_is_stale_(op) ? EINVAL : go_on(op);
    case FW_OPERATION_GRANTED:
        return fw_operation_is_stale_(op) ? EINVAL : fw_operation_end_(op);
    case FW_OPERATION_LOST:
        return ECANCELED;
    default:
        return op->result_;
    }
}

bool fw_operation_exchange_(fw_await *op, void (*wake)(void *), void *arg, void **old)
{
    bool waits = fw_load32_relaxed(&op->state_) == FW_OPERATION_WAITING;

    if (waits) {
        *old = op->is_listed_ ? NULL : op->more_.arg;
        op->is_listed_ = 0;
        op->call_.wake = wake;
        op->more_.arg = arg;
    }
    return waits;
}

/* Exchanges the waker.  False: it does not wait any more. */
static bool exchange(fw_await *op, void (*wake)(void *), void *arg, void **old)
{
    const struct fw_operation_kind_ *kind = fw_operation_kind_(op);
    struct fw_waitqueue_ *bucket;
    bool waits;

    if (kind->exchange != NULL)
        return kind->exchange(op, wake, arg, old);
    bucket = fw_waitqueue_lock_(op->object_);
    waits = fw_operation_exchange_(op, wake, arg, old);
    fw_waitqueue_unlock_(bucket);
    return waits;
}

int fw_await_set_waker(fw_await *op, void (*wake)(void *), void *arg, void **old)
{
    void *former = NULL;
    int error;

    if (!fw_operation_has_waker_(op))
        return EINVAL;
    if (fw_load32_acquire(&op->state_) == FW_OPERATION_WAITING && !fw_operation_is_stale_(op) &&
        exchange(op, wake, arg, &former)) {
        error = EINPROGRESS;
    } else {
        if (fw_load32_acquire(&op->state_) == FW_OPERATION_SIGNALLED) {
            op->call_.wake = wake;
            op->more_.arg = arg;
        }
        error = fw_await_poll(op);
    }
    if (old != NULL)
        *old = former;
    return error;
}
