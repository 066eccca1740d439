/* SPDX-License-Identifier: MIT */
#ifndef FW_AWAIT_KIND_H
#define FW_AWAIT_KIND_H

#include <stdbool.h>

#include "core/operation.h"

/* What an operation does that depends on what it waits for.  All calls are by its owner. */
struct fw_operation_kind_ {
    /*
     * Stops waiting: WAITING -> OVER, true; false: granted, or signalled.  NULL: it is queued
     * in the bucket of its object, and `left` is all that is to be done.
     */
    bool (*stop)(fw_await *op);

    /*
     * Inside the bucket, from which the operation was removed: sets right what the object says
     * about its queue, passes on what is due, and leaves the bucket.  The object may not exist any
     * more if no other waiter is queued, except what the operation itself keeps alive.
     */
    void (*left)(struct fw_waitqueue_ *bucket, fw_await *op);

    /* It was granted, and is not wanted.  Outside of all locks. */
    void (*give_back)(fw_await *op);

    /* SIGNALLED: goes on.  EINPROGRESS: WAITING; 0: it has all that it asked for. */
    int (*go_on)(fw_await *op);

    /* SIGNALLED, and cancelled: the signal is another's. */
    void (*forsake)(fw_await *op);

    /* Granted, it has ended with that; NULL: with what it was granted with. */
    int (*result)(const fw_await *op);

    /* fw_operation_exchange_, where it is queued; NULL: in the bucket of its object. */
    bool (*exchange)(fw_await *op, void (*wake)(void *arg), void *arg, void **old);

    /* Its deadline has passed, and it was stopped: the result, or EINPROGRESS.  NULL: ETIMEDOUT. */
    int (*expired)(fw_await *op);
};

/* The row of an operation. */
const struct fw_operation_kind_ *fw_operation_kind_(const fw_await *op);

/*
 * Phase two of an operation on a condition variable: object_ is the mutex.  0, or EINPROGRESS: it
 * is queued, and perhaps granted already.
 */
int fw_await_mutex_again_(fw_await *op);

extern const struct fw_operation_kind_ fw_operation_post_;
extern const struct fw_operation_kind_ fw_operation_timer_;
extern const struct fw_operation_kind_ fw_operation_mutex_;
extern const struct fw_operation_kind_ fw_operation_permits_;
extern const struct fw_operation_kind_ fw_operation_event_;
extern const struct fw_operation_kind_ fw_operation_latch_;
extern const struct fw_operation_kind_ fw_operation_cond_;
extern const struct fw_operation_kind_ fw_operation_rwlock_;
extern const struct fw_operation_kind_ fw_operation_region_;

#endif
