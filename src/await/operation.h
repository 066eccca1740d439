/* SPDX-License-Identifier: MIT */
#ifndef FW_AWAIT_OPERATION_H
#define FW_AWAIT_OPERATION_H

#include <errno.h>
#include <stdbool.h>

#include <furwock/await.h>
#include <furwock/bits/atomic.h>

#include "await/kind.h"
#include "core/operation.h"

/*
 * How an operation is submitted.  A submit call of an object
 *
 *     if (fw_operation_is_busy_(op)) return EBUSY;
 *     tries to take, with op->task_ as the owner; if it did
 *         return fw_operation_taken_(op, kind, object);
 *     if ((error = fw_operation_begin_(op, kind, object, deadline)) != 0) return error;
 *     loop = op->loop_;
 *     ... inside the bucket: looks again, says in the object's word that somebody is queued, and
 *         fw_operation_enqueue_(bucket, op) ...
 *     return fw_operation_queued_(loop, op, deadline);
 *
 * An operation without a loop may be gone as soon as the bucket is left.
 */

static inline bool fw_operation_is_busy_(const fw_await *op)
{
    uint32_t state = fw_load32_relaxed(&op->state_);

    return state != FW_OPERATION_IDLE && state != FW_OPERATION_OVER;
}

/* After it was taken at once: 0; or ECANCELED, given back: another of its group has ended. */
int fw_operation_taken_slow_(fw_await *op, unsigned kind, const void *object);

static inline int fw_operation_taken_(fw_await *op, unsigned kind, const void *object)
{
    if (op->group_ != NULL)
        return fw_operation_taken_slow_(op, kind, object);
    op->result_ = 0;
    fw_store32_relaxed(&op->state_, FW_OPERATION_OVER);
    return 0;
}

/* Prepares it for the queue: 0, or what await.h says of submit calls. */
int fw_operation_begin_(fw_await *op, unsigned kind, const void *object,
                        const fw_deadline *deadline);

/* EINPROGRESS; arms the deadline.  `loop` is what op->loop_ was before it was queued. */
int fw_operation_queued_(fw_loop *loop, fw_await *op, const fw_deadline *deadline);

/* WAITING -> OVER, by the bucket of its object: see fw_operation_kind_.left.  False: granted. */
bool fw_operation_leave_(fw_await *op, const struct fw_operation_kind_ *kind);

/*
 * Inside the lock of its queue: exchanges the waker, if it waits; the former argument, or NULL if
 * that was given away.
 */
bool fw_operation_exchange_(fw_await *op, void (*wake)(void *arg), void *arg, void **old);

/* Has the process been forked since the operation was submitted? */
bool fw_operation_is_stale_(const fw_await *op);

/* For its loop, and for polls: GRANTED -> OVER, out of all lists but the inbox.  The result. */
int fw_operation_end_(fw_await *op);

/* Its deadline has passed: the result, or EINPROGRESS: it is not over, or not to be delivered. */
int fw_operation_expire_(fw_await *op);

#endif
