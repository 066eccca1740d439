/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a read-write lock without a thread.  Contract: furwock/await.h.  An operation is one
 * more waiter in the lock's queue: thread/rwlock_queue.h.
 */
#include <furwock/await.h>

#include "await/operation.h"
#include "sys/thread.h"
#include "thread/mode.h"
#include "thread/rwlock_misuse.h"
#include "thread/rwlock_queue.h"
#include "thread/rwlock_word.h"

static int enqueue(fw_await *op, fw_rwlock *l, enum rw_want want, const fw_deadline *deadline)
{
    fw_loop *loop = op->loop_;
    int error = fw_operation_begin_(op, FW_OPERATION_RWLOCK, l, deadline);

    if (error != 0)
        return error;
    if (!fw_rw_enqueue_(l, want, op))
        return fw_operation_taken_(op, FW_OPERATION_RWLOCK, l);
    return fw_operation_queued_(loop, op, deadline);
}

int fw_await_rdlock(fw_await *op, fw_rwlock *l, const fw_deadline *deadline)
{
    fw_rw_word_ w = fw_load64_relaxed(&l->state_);

    if (fw_operation_is_busy_(op))
        return EBUSY;
    op->want_ = RW_READ;
    while (rw_lets_readers_in(w)) { /* n readers -> n + 1 readers */
        if (rw_is_full(w))
            return EAGAIN;
        if (fw_cas64_acquire(&l->state_, &w, rw_with_reader(w, op->task_)))
            return fw_operation_taken_(op, FW_OPERATION_RWLOCK, l);
    }
    check_before_read(l, w, op->task_, FW_MODE_CHECKED);
    return enqueue(op, l, RW_READ, deadline);
}

int fw_await_wrlock(fw_await *op, fw_rwlock *l, const fw_deadline *deadline)
{
    fw_rw_word_ w = fw_load64_relaxed(&l->state_);

    if (fw_operation_is_busy_(op))
        return EBUSY;
    op->want_ = RW_WRITE;
    while (rw_is_free(w)) /* free -> WRITER */
        if (fw_cas64_acquire(&l->state_, &w, rw_with_writer(w, op->task_)))
            return fw_operation_taken_(op, FW_OPERATION_RWLOCK, l);
    check_before_write(l, w, op->task_, FW_MODE_CHECKED);
    return enqueue(op, l, RW_WRITE, deadline);
}

void fw_task_rwlock_rdunlock(fw_rwlock *l, fw_task task)
{
    uint32_t before = fw_act_as_(task);

    fw_rwlock_rdunlock(l);
    fw_act_as_(before);
}

void fw_task_rwlock_wrunlock(fw_rwlock *l, fw_task task)
{
    uint32_t before = fw_act_as_(task);

    fw_rwlock_wrunlock(l);
    fw_act_as_(before);
}

static void give_back(fw_await *op)
{
    fw_rwlock *l = (fw_rwlock *)(uintptr_t)op->object_;

    if (op->want_ == RW_WRITE)
        fw_task_rwlock_wrunlock(l, op->task_);
    else
        fw_task_rwlock_rdunlock(l, op->task_);
}

const struct fw_operation_kind_ fw_operation_rwlock_ = {.left = fw_rw_dequeued_,
                                                        .give_back = give_back};
