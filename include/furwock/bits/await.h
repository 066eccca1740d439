/* SPDX-License-Identifier: MIT */
#ifndef FURWOCK_BITS_AWAIT_H
#define FURWOCK_BITS_AWAIT_H

#include <stdint.h>

#include <furwock/bits/api.h>

FW_BEGIN_DECLS

/* The types of furwock/await.h. */
typedef struct fw_loop fw_loop;
typedef struct fw_await fw_await;
typedef struct fw_await_group fw_await_group;

/* The owner of locks that were taken asynchronously: a number, not 0. */
typedef uint32_t fw_task;

struct fw_await { /* internal, all of it: src/core/operation.h */
    fw_await *next_, *prev_;
    const void *object_;
    void *kept_; /* in a bucket's queue it is linked by this: struct fw_waiter_node_ */
    int32_t urgency_;
    uint8_t is_operation_, is_first_, kind_, generation_;
    uint32_t state_;
    fw_task task_;
    uint8_t want_, is_designated_, starves_, yields_;
    uint16_t result_;
    uint8_t timer_;
    uint8_t is_listed_; /* in the inbox; or the waker's argument is given away */
    fw_loop *loop_;
    union {
        void (*done)(fw_await *op, int error);
        void (*wake)(void *arg);
    } call_;
    fw_await_group *group_;
    void *aux_;
    uint64_t since_;
    fw_await *timer_child_, *timer_next_, *timer_prev_;
    union {
        uint64_t deadline; /* of an operation with a loop */
        void *arg;         /* of a waker */
    } more_;
};

struct fw_await_group {
    fw_await *winner_; /* internal */
};

/*
 * Internal, for programs that are built for a race detector (furwock/bits/annotate.h).  If not
 * NULL, it is called by the thread that is about to call `done`, with the result; or that grants
 * the operation and will call its waker (EINPROGRESS).  It must call nothing of the library.
 */
typedef void fw_await_told_function_(const fw_await *op, int error);
FW_API extern fw_await_told_function_ *fw_await_told_;

FW_END_DECLS

#endif
