/* SPDX-License-Identifier: MIT */
/*
 * What the shipped sources of operations call, and no program has: operations of a loop.  All of
 * the model's have a waker.
 */
#include "await/kind.h"
#include "await/loop.h"
#include "sys/panic.h"

const struct fw_operation_kind_ fw_operation_post_, fw_operation_timer_, fw_operation_rwlock_,
    fw_operation_region_;

static void no_loop(const void *loop)
{
    fw_panic_("an operation of the model has a loop", loop, 0, 0);
}

int fw_loop_prepare_timer_(fw_loop *loop, clockid_t clock)
{
    (void)clock;
    no_loop(loop);
    return 0;
}

void fw_loop_add_(fw_loop *loop, fw_await *op, const fw_deadline *deadline)
{
    (void)op, (void)deadline;
    no_loop(loop);
}

void fw_loop_stop_timer_(fw_loop *loop, fw_await *op)
{
    (void)op;
    no_loop(loop);
}

void fw_loop_remove_(fw_loop *loop, fw_await *op)
{
    (void)op;
    no_loop(loop);
}

void fw_loop_note_late_(const fw_await *op)
{
    (void)op;
}
