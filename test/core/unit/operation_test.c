/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <furwock/await.h>

#include "core/inbox.h"
#include "core/operation.h"
#include "sys/descriptors.h"
#include "test/support/unit.h"

/* src/core/operation.c, and src/core/inbox.c: an object's queue, and a loop that nobody runs. */

static int object;
static unsigned n_woken;
static void *last_arg;
static struct fw_inbox_ inbox;

static int make(void)
{
    n_woken = 0;
    last_arg = NULL;
    inbox = (struct fw_inbox_){.event = fw_event_make_()};
    return inbox.event < 0;
}

static void unmake(void)
{
    fw_inbox_end_(&inbox);
    fw_descriptor_close_(inbox.event);
}

static void wake(void *arg)
{
    n_woken++;
    last_arg = arg;
}

static void enqueue(fw_await *op)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(&object);

    op->object_ = &object;
    fw_operation_enqueue_(bucket, op);
    fw_waitqueue_unlock_(bucket);
}

static void enqueue_waker(fw_await *op, void *arg)
{
    fw_await_init_waker(op, 1, wake, arg);
    enqueue(op);
}

static void enqueue_in_loop(fw_await *op)
{
    fw_await_init(op, (fw_loop *)&inbox, 1, NULL);
    enqueue(op);
}

/* Grants the first of the queue, and wakes it if it has a waker. */
static fw_await *grant_first(void)
{
    struct fw_waitqueue_ *bucket = fw_waitqueue_lock_(&object);
    struct fw_waiter_node_ *first = fw_waitqueue_first_(bucket, &object);
    fw_await *op = first != NULL ? fw_operation_of_(first) : NULL;
    struct fw_wakeup_ w = {NULL, NULL};

    while (op != NULL && !fw_operation_claim_(bucket, op)) {
        first = fw_waitqueue_first_(bucket, &object);
        op = first != NULL ? fw_operation_of_(first) : NULL;
    }
    if (op != NULL)
        w = fw_operation_grant_(bucket, op, 0);
    fw_waitqueue_unlock_(bucket);
    fw_wakeup_(w);
    return op;
}

static bool is_readable(void)
{
    struct pollfd fd = {.fd = inbox.event, .events = POLLIN};

    return poll(&fd, 1, 0) == 1;
}

TEST(operations_are_granted_in_order)
{
    fw_await a, b;
    int arg_a, arg_b;

    enqueue_waker(&a, &arg_a);
    enqueue_waker(&b, &arg_b);
    assert_true(fw_operation_node_(&a)->is_operation);
    assert_int_equal(fw_await_poll(&a), EINPROGRESS);
    assert_ptr_equal(grant_first(), &a);
    assert_ptr_equal(last_arg, &arg_a);
    assert_int_equal(fw_await_poll(&a), 0);
    assert_int_equal(fw_await_poll(&b), EINPROGRESS);
    assert_ptr_equal(grant_first(), &b);
    assert_ptr_equal(last_arg, &arg_b);
    assert_int_equal(n_woken, 2);
    assert_null(grant_first());
}

TEST(no_waker_is_nobody_to_call)
{
    fw_await a;

    fw_await_init_waker(&a, 1, NULL, NULL);
    enqueue(&a);
    assert_ptr_equal(grant_first(), &a);
    assert_int_equal(fw_await_poll(&a), 0);
}

TEST(the_waker_is_exchanged_while_it_waits_and_not_after)
{
    fw_await a;
    int first, second;
    void *old = NULL;

    enqueue_waker(&a, &first);
    assert_int_equal(fw_await_set_waker(&a, wake, &second, &old), EINPROGRESS);
    assert_ptr_equal(old, &first);
    grant_first();
    assert_ptr_equal(last_arg, &second);
    assert_int_equal(fw_await_set_waker(&a, wake, &first, &old), 0);
    assert_null(old);
    assert_int_equal(n_woken, 1);
}

TEST(losers_of_a_group_are_dequeued)
{
    fw_await_group group;
    fw_await a, b, c;

    enqueue_waker(&a, NULL);
    enqueue_waker(&b, NULL);
    enqueue_waker(&c, NULL);
    fw_await_group_init(&group);
    fw_await_group_add(&group, &a);
    fw_await_group_add(&group, &b);
    assert_ptr_equal(grant_first(), &a);
    assert_ptr_equal(fw_await_group_winner(&group), &a);
    assert_ptr_equal(grant_first(), &c);
    assert_int_equal(fw_await_poll(&b), ECANCELED);
    assert_true(fw_await_cancel(&b));
    assert_int_equal(n_woken, 2);
}

TEST(a_loop_that_looks_is_not_kicked)
{
    fw_await a, b;

    enqueue_in_loop(&a);
    enqueue_in_loop(&b);
    grant_first();
    assert_false(is_readable());
    fw_inbox_sleeps_(&inbox); /* it does not look any more: there is something */
    assert_true(is_readable());
    grant_first();
    fw_inbox_awake_(&inbox);
    assert_false(is_readable());
    assert_ptr_equal(fw_inbox_take_(&inbox), &a);
    assert_ptr_equal(fw_inbox_take_(&inbox), &b);
    assert_null(fw_inbox_take_(&inbox));
    assert_true(fw_inbox_is_empty_(&inbox));
}

TEST(a_loop_that_sleeps_is_kicked_once)
{
    fw_await a, b;
    uint64_t n = 0;

    enqueue_in_loop(&a);
    enqueue_in_loop(&b);
    fw_inbox_sleeps_(&inbox);
    assert_false(is_readable());
    grant_first();
    grant_first();
    fw_inbox_kick_(&inbox);
    assert_int_equal(read(inbox.event, &n, sizeof n), sizeof n);
    assert_true(n == 1);
    fw_inbox_remove_(&inbox, &a);
    assert_ptr_equal(fw_inbox_take_(&inbox), &b);
}

TEST(the_state_says_what_was_given)
{
    fw_await a;
    struct fw_waitqueue_ *bucket;
    struct fw_wakeup_ w;

    enqueue_in_loop(&a);
    bucket = fw_waitqueue_lock_(&object);
    w = fw_operation_signal_(bucket, &a);
    fw_waitqueue_unlock_(bucket);
    fw_wakeup_(w);
    assert_int_equal(a.state_, FW_OPERATION_SIGNALLED);
    assert_ptr_equal(fw_inbox_take_(&inbox), &a);
    fw_wakeup_(fw_operation_deliver_(&a, EOWNERDEAD));
    assert_int_equal(a.state_, FW_OPERATION_GRANTED);
    assert_int_equal(a.result_, EOWNERDEAD);
    assert_ptr_equal(fw_inbox_take_(&inbox), &a);
}

UNIT_MAIN(make, unmake)
