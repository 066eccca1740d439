/* SPDX-License-Identifier: MIT */
#include "cond_waits.h"

/* src/thread/cond.c with the fake kernel: misuse, and waiters that are cancelled. */

TEST(waiting_without_the_mutex_stops_the_program)
{
    FAKE_EXPECT_PANIC(fw_cond_wait(&c, &m));
    m.state_ = HELD(OWNER);
    FAKE_EXPECT_PANIC(fw_cond_wait(&c, &m));
    assert_int_equal(fake.panic_owner, FAKE_ID(OWNER));
}

static fw_mutex second_mutex;

static int another_waits_with_another_mutex(struct fake_call *call)
{
    uint32_t before = fake_as(OTHER);

    (void)call;
    fw_mutex_init(&second_mutex);
    fw_mutex_lock(&second_mutex);
    FAKE_EXPECT_PANIC(fw_cond_wait(&c, &second_mutex));
    fake.n_sleepers = 1;
    fake_as(before >> FW_ID_SHIFT);
    with_mutex(fw_cond_signal);
    return FAKE_COMPARE;
}

TEST(two_mutexes_stop_the_program)
{
    fake.on_sleep = another_waits_with_another_mutex;
    assert_int_equal(wait_blocking(NULL), 0);
    assert_string_equal(fake.panic_what, "condition variable used with two mutexes");
}

static jmp_buf unwound;

/* The clean-up of the second, which may have been given a wake: it goes to the first. */
static void cancel_the_second(void)
{
    fake.on_cancel(fake.cancel_arg);
    assert_int_equal(fw_mutex_owner(&m), OTHER);
    fw_mutex_unlock(&m);
    assert_true(fake.sleepers[0].woken);
    fake.n_sleepers = 1;
    longjmp(unwound, 1);
}

static int second_is_cancelled(struct fake_call *call)
{
    (void)call;
    if (fake.waits == 2)
        cancel_the_second();
    fake_as(OTHER);
    if (setjmp(unwound) == 0)
        another_waits(NULL);
    fake_as(FAKE_SELF);
    return FAKE_COMPARE;
}

TEST(a_cancelled_waiter_passes_the_wake_on)
{
    fake.on_sleep = second_is_cancelled;
    assert_int_equal(wait_blocking(NULL), 0);
    assert_int_equal(fake.wakes, 1);
}

UNIT_MAIN(reset_cond, NULL)
