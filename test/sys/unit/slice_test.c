/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>

#include "sys/slice.h"
#include "test/support/unit.h"

/* Asking for a longer time slice: the states of sys/slice.h; the test plays the kernel. */

static struct fw_slice_ slice;
static struct fw_slice_control_ control;
static int a, b;

static int begin(void)
{
    slice = (struct fw_slice_){0};
    control = (struct fw_slice_control_){0};
    return 0;
}

static void ask(const void *lock)
{
    fw_slice_ask_in_(&slice, &control, lock);
}

static bool must_yield(const void *lock)
{
    return fw_slice_done_in_(&slice, &control, lock);
}

/* What the kernel does when the time is up, and the thread has asked. */
static void grant(void)
{
    assert_int_equal(control.request, 1);
    assert_int_equal(control.granted, 0);
    control.request = 0;
    control.granted = 1;
}

/* What it does when the thread loses the CPU. */
static void take_the_cpu(void)
{
    control.request = 0;
    control.granted = 0;
}

static void assert_idle(void)
{
    assert_null(slice.lock);
    assert_int_equal(control.request, 0);
    assert_int_equal(control.granted, 0);
    assert_int_equal(control.reserved, 0);
}

TEST(a_holder_asks_until_it_is_done)
{
    ask(&a);
    assert_int_equal(control.request, 1);
    assert_false(must_yield(&a));
    assert_idle();
}

TEST(who_was_granted_time_yields)
{
    ask(&a);
    grant();
    assert_true(must_yield(&a));
    assert_int_equal(control.granted, 1); /* the kernel's to clear */
    assert_null(slice.lock);
}

TEST(who_was_too_slow_does_not)
{
    ask(&a);
    grant();
    take_the_cpu();
    assert_false(must_yield(&a));
    assert_idle();
}

TEST(the_outer_lock_asks_for_the_inner_one)
{
    ask(&a);
    ask(&b);
    assert_false(must_yield(&b));
    assert_int_equal(control.request, 1);
    grant();
    ask(&b);
    assert_int_equal(control.request, 0); /* nobody asks while time is granted */
    assert_false(must_yield(&b));
    assert_true(must_yield(&a));
}

TEST(locks_released_in_the_order_taken)
{
    ask(&a);
    ask(&b);
    assert_false(must_yield(&a));
    assert_idle();
    assert_false(must_yield(&b));
    assert_idle();
}

TEST(the_inner_lock_asks_when_the_outer_has_lost)
{
    ask(&a);
    take_the_cpu();
    ask(&b);
    assert_int_equal(control.request, 1);
    grant();
    assert_false(must_yield(&a));
    assert_int_equal(control.granted, 1);
    assert_true(must_yield(&b));
}

/* Released where nobody asked, or has asked and does so no more. */
TEST(done_without_ask_is_nothing)
{
    assert_false(must_yield(&a));
    assert_idle();
    ask(&b);
    assert_false(must_yield(&a));
    assert_int_equal(control.request, 1);
    assert_false(must_yield(&b));
    assert_false(must_yield(&b));
    assert_idle();
}

/* Taken through the slow path, released through the fast one: one extension too many. */
TEST(a_request_that_was_left_ends_with_a_grant)
{
    ask(&a);
    ask(&b);
    assert_false(must_yield(&b));
    grant();
    take_the_cpu();
    ask(&b);
    assert_ptr_equal(slice.lock, &b);
    assert_false(must_yield(&b));
    assert_idle();
}

/* The program itself uses extensions: what it has asked for and got is left alone. */
TEST(a_stranger_is_left_alone)
{
    control.request = 1;
    ask(&a);
    assert_false(must_yield(&a));
    assert_int_equal(control.request, 1);
    grant();
    ask(&a);
    assert_false(must_yield(&a));
    assert_int_equal(control.granted, 1);
    assert_int_equal(control.request, 0);
}

/* On this kernel, whatever it has: nothing happens that can be seen. */
static void *hold_and_release(void *unused)
{
    (void)unused;
    errno = EXDEV;
    for (int i = 0; i < 1000; i++) {
        fw_slice_ask_(&a);
        fw_slice_ask_(&b);
        fw_slice_done_(&b);
        fw_slice_done_(&a);
        fw_slice_done_(NULL);
    }
    return errno == EXDEV ? &a : NULL;
}

TEST(this_kernel_does_no_harm)
{
    pthread_t thread;
    void *good;

    assert_int_equal(pthread_create(&thread, NULL, hold_and_release, NULL), 0);
    assert_non_null(hold_and_release(NULL));
    pthread_join(thread, &good);
    assert_non_null(good);
}

UNIT_MAIN(begin, NULL)
