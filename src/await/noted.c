/* SPDX-License-Identifier: MIT */
/*
 * What a program that is built for a race detector asks of operations.  Contract: furwock/await.h;
 * that program's side: furwock/bits/annotated/await.h.
 */
#include "await/operation.h"
#include "await/region.h"
#include "sys/thread.h"
#include "thread/rwlock_queue.h"

/* Of a lock of a region. */
static enum fw_await_has_ has_in_region(const fw_await *op, int error)
{
    bool has_late = op->want_ == FW_TARGET_RELOCK_ && error == ETIMEDOUT;

    if (!has_late && !fw_target_has_it_(fw_target_of_(op), error))
        return FW_AWAIT_NOTHING_;
    switch (op->want_) {
    case FW_TARGET_READ_:
        return FW_AWAIT_READS_;
    case FW_TARGET_MUTEX_:
    case FW_TARGET_RELOCK_:
    case FW_TARGET_WRITE_:
        return FW_AWAIT_WRITES_;
    default:
        return FW_AWAIT_UNIT_;
    }
}

enum fw_await_has_ fw_await_has_(const fw_await *op, int error)
{
    if (op->kind_ == FW_OPERATION_REGION)
        return has_in_region(op, error);
    if (op->kind_ == FW_OPERATION_COND && error == ETIMEDOUT)
        return FW_AWAIT_WRITES_;
    if (error != 0)
        return FW_AWAIT_NOTHING_;
    switch (op->kind_) {
    case FW_OPERATION_MUTEX:
    case FW_OPERATION_COND:
        return FW_AWAIT_WRITES_;
    case FW_OPERATION_RWLOCK:
        return op->want_ == RW_WRITE ? FW_AWAIT_WRITES_ : FW_AWAIT_READS_;
    case FW_OPERATION_PERMITS:
    case FW_OPERATION_EVENT:
    case FW_OPERATION_LATCH:
        return FW_AWAIT_UNIT_;
    default:
        return FW_AWAIT_NOTHING_;
    }
}

bool fw_await_waits_(const fw_await *op)
{
    return fw_operation_is_busy_(op);
}

bool fw_await_is_mine_(const fw_await *op)
{
    return op->task_ == fw_self_();
}
