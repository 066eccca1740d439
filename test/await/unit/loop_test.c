/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>

#include <furwock/await.h>

#include "sys/clock.h"
#include "test/sys/unit/in_child.h"

/*
 * Loops, with operations that wait for no lock: src/await/loop.c, src/await/run.c and
 * src/await/operation.c, and what they need of src/core/inbox.c and src/sys/descriptors.c.
 */

enum { FEW = 5, HANG_MS = 60000 };

static fw_loop *loop;
static unsigned n_done;
static int last_error;
static fw_await *last_op;

static int make(void)
{
    n_done = 0;
    last_op = NULL;
    return fw_loop_create(&loop, NULL);
}

static void unmake(void)
{
    assert_int_equal(fw_loop_destroy(loop), 0);
}

static void done(fw_await *op, int error)
{
    n_done++;
    last_op = op;
    last_error = error;
}

static bool is_readable(void)
{
    struct pollfd fd = {.fd = fw_loop_fd(loop), .events = POLLIN};

    return poll(&fd, 1, 0) == 1;
}

static bool becomes_readable(void)
{
    struct pollfd fd = {.fd = fw_loop_fd(loop), .events = POLLIN};

    return poll(&fd, 1, HANG_MS) == 1;
}

static void *post(void *op)
{
    assert_int_equal(fw_loop_post(op), 0);
    return NULL;
}

static void post_elsewhere(fw_await *op)
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, post, op), 0);
    pthread_join(thread, NULL);
}

TEST(options_are_checked)
{
    fw_loop_options engine = {.engine = (fw_loop_engine)17}, reserved = {.reserved = 1};
    fw_loop *none = NULL;

    assert_int_equal(fw_loop_create(&none, &engine), EINVAL);
    assert_int_equal(fw_loop_create(&none, &reserved), EINVAL);
    assert_null(none);
}

TEST(what_is_posted_is_delivered_in_order_and_once)
{
    fw_await op[FEW];

    for (unsigned i = 0; i < FEW; i++) {
        fw_await_init(&op[i], loop, 0, done);
        assert_int_equal(fw_loop_post(&op[i]), 0);
        assert_int_equal(fw_loop_post(&op[i]), EBUSY);
    }
    assert_int_equal(fw_loop_destroy(loop), EBUSY);
    for (unsigned i = 0; i < FEW; i++) {
        assert_int_equal(fw_loop_run(loop, 1), 1);
        assert_ptr_equal(last_op, &op[i]);
        assert_int_equal(last_error, 0);
    }
    assert_int_equal(fw_loop_run(loop, 0), 0);
    assert_int_equal(n_done, FEW);
}

TEST(the_descriptor_is_readable_while_there_is_something_to_do)
{
    fw_await a, b;

    fw_await_init(&a, loop, 0, done);
    fw_await_init(&b, loop, 0, done);
    assert_false(is_readable());
    post_elsewhere(&a);
    post_elsewhere(&b);
    assert_true(is_readable());
    assert_int_equal(fw_loop_run(loop, 1), 1);
    assert_true(is_readable());
    assert_int_equal(fw_loop_run(loop, 0), 1);
    assert_false(is_readable());
}

TEST(what_was_posted_before_the_descriptor_is_asked_for_makes_it_readable)
{
    fw_await a;

    fw_await_init(&a, loop, 0, done);
    post_elsewhere(&a);
    assert_true(is_readable());
    assert_int_equal(fw_loop_run(loop, 0), 1);
    assert_false(is_readable());
}

static void done_post_again(fw_await *op, int error)
{
    done(op, error);
    if (n_done < FEW)
        assert_int_equal(fw_loop_post(op), 0);
}

TEST(done_may_use_the_operation_again)
{
    fw_await a;

    fw_await_init(&a, loop, 0, done_post_again);
    post_elsewhere(&a);
    while (n_done < FEW) {
        assert_int_equal(fw_loop_wait(loop, NULL), 0);
        fw_loop_run(loop, 0);
    }
    assert_int_equal(n_done, FEW);
}

static void done_post_for_ever(fw_await *op, int error)
{
    done(op, error);
    assert_int_equal(fw_loop_post(op), 0);
}

TEST(a_run_ends_though_operations_go_on)
{
    fw_await a;

    fw_await_init(&a, loop, 0, done_post_for_ever);
    post_elsewhere(&a);
    assert_true(fw_loop_run(loop, 0) > 0);
    assert_true(is_readable());
    assert_false(fw_await_cancel(&a));
    assert_int_equal(fw_loop_run(loop, 0), 0);
}

TEST(a_wait_ends_by_a_post_of_another_thread)
{
    fw_await a;
    pthread_t thread;

    fw_await_init(&a, loop, 0, done);
    assert_int_equal(pthread_create(&thread, NULL, post, &a), 0);
    assert_int_equal(fw_loop_wait(loop, NULL), 0);
    pthread_join(thread, NULL);
    while (n_done == 0)
        fw_loop_run(loop, 0);
}

TEST(a_wait_ends_at_its_deadline)
{
    fw_deadline past = fw_deadline_in_(CLOCK_MONOTONIC, 0);
    fw_deadline soon = fw_deadline_in_(CLOCK_REALTIME, 2000000), bad = past;

    bad.at.tv_nsec = -1;
    assert_int_equal(fw_loop_wait(loop, &past), ETIMEDOUT);
    assert_int_equal(fw_loop_wait(loop, &soon), ETIMEDOUT);
    assert_true(fw_deadline_is_over_(&soon));
    assert_int_equal(fw_loop_wait(loop, &bad), EINVAL);
}

static void submit_timer(fw_await *op, clockid_t clock, uint64_t ns)
{
    fw_deadline at;
    int error;

    fw_await_init(op, loop, 0, done);
    do { /* until it is queued before it is over */
        at = fw_deadline_in_(clock, ns);
        error = fw_await_timer(op, &at);
    } while (error == 0);
    assert_int_equal(error, EINPROGRESS);
    assert_int_equal(fw_await_timer(op, &at), EBUSY);
    assert_int_equal(fw_await_poll(op), EINPROGRESS);
}

TEST(timers_fire_for_those_who_wait)
{
    fw_await a, b;

    submit_timer(&a, CLOCK_MONOTONIC, 3000000);
    submit_timer(&b, CLOCK_REALTIME, 1000000);
    while (n_done < 2) {
        assert_int_equal(fw_loop_wait(loop, NULL), 0);
        fw_loop_run(loop, 0);
    }
    assert_int_equal(last_error, 0);
}

TEST(timers_make_the_descriptor_readable)
{
    fw_await a, b, far;

    assert_false(is_readable());
    submit_timer(&a, CLOCK_MONOTONIC, 3000000);
    submit_timer(&b, CLOCK_REALTIME, 1000000);
    submit_timer(&far, CLOCK_MONOTONIC, UINT64_C(3600000000000));
    while (n_done < 2) {
        assert_true(becomes_readable());
        fw_loop_run(loop, 0);
    }
    assert_int_equal(fw_loop_destroy(loop), EBUSY);
    assert_true(fw_await_cancel(&far));
    fw_loop_run(loop, 0);
    assert_false(is_readable());
}

TEST(a_timer_that_is_over_needs_no_loop_to_run)
{
    fw_deadline past = fw_deadline_in_(CLOCK_MONOTONIC, 0);
    fw_await a;

    fw_await_init(&a, loop, 0, done);
    assert_int_equal(fw_await_timer(&a, NULL), EINVAL);
    assert_int_equal(fw_await_timer(&a, &past), 0);
    assert_int_equal(fw_await_poll(&a), 0);
    assert_int_equal(n_done, 0);
}

/* Two timers of a group, on the same deadline: false if it has passed before both wait. */
static bool begin_group(fw_await_group *group, fw_await *a, fw_await *b, const fw_deadline *soon)
{
    fw_await_group_init(group);
    fw_await_init(a, loop, 0, done);
    fw_await_init(b, loop, 0, done);
    fw_await_group_add(group, a);
    fw_await_group_add(group, b);
    if (fw_await_timer(a, soon) == EINPROGRESS && fw_await_timer(b, soon) == EINPROGRESS)
        return true;
    assert_true(fw_await_cancel(a));
    assert_true(fw_await_cancel(b));
    return false;
}

TEST(the_first_of_a_group_ends_it)
{
    fw_await_group group;
    fw_deadline soon;
    fw_await a, b;

    do
        soon = fw_deadline_in_(CLOCK_MONOTONIC, 1000000);
    while (!begin_group(&group, &a, &b, &soon));
    assert_null(fw_await_group_winner(&group));
    while (n_done == 0) {
        assert_int_equal(fw_loop_wait(loop, NULL), 0);
        fw_loop_run(loop, 0);
    }
    assert_int_equal(n_done, 1);
    assert_ptr_equal(fw_await_group_winner(&group), last_op);
    assert_true(fw_await_cancel(last_op == &a ? &b : &a));
    assert_int_equal(fw_await_timer(&a, &soon), ECANCELED);
}

TEST(late_operations_are_counted)
{
    uint64_t before = fw_await_late();
    fw_deadline later;
    fw_await a;

    fw_await_init(&a, loop, 0, done);
    assert_int_equal(fw_loop_post(&a), 0);
    later = fw_deadline_in_(CLOCK_MONOTONIC, 40000000);
    while (!fw_deadline_is_over_(&later))
        fw_yield_();
    assert_int_equal(fw_loop_late(loop), 1);
    assert_int_equal(fw_loop_run(loop, 0), 1);
    assert_int_equal(fw_loop_late(loop), 0);
    assert_true(fw_await_late() == before + 1);
}

static int use_as_child(void)
{
    fw_deadline soon = fw_deadline_in_(CLOCK_MONOTONIC, 1000000);
    fw_await op;

    fw_await_init(&op, loop, 0, done);
    return !(fw_loop_run(loop, 0) == 0 && fw_loop_wait(loop, NULL) == EINVAL &&
             fw_loop_post(&op) == EINVAL && fw_await_timer(&op, &soon) == EINVAL &&
             fw_await_cancel(last_op) && fw_loop_destroy(loop) == 0);
}

TEST(a_forked_child_has_no_operations)
{
    fw_await a;

    submit_timer(&a, CLOCK_MONOTONIC, 1000000);
    last_op = &a;
    assert_int_equal(in_child(use_as_child), 0);
    while (n_done == 0) {
        assert_int_equal(fw_loop_wait(loop, NULL), 0);
        fw_loop_run(loop, 0);
    }
}

UNIT_MAIN(make, unmake)
