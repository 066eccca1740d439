/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <string.h>

#include "permits_words.h"

/* src/thread/permits_wait.c as sem_wait has it: interrupted, and cancelled. */

static struct supply s;
static jmp_buf unwound;

static int reset(void)
{
    memset(&s, 0, sizeof s);
    s.spin = 1000; /* no polling: every wait sleeps at once */
    fake_reset();
    return 0;
}

static void post(void)
{
    assert_true(fw_permits_post_(&s.state_, 1, PERMITS_VALUE_MAX));
}

static int interrupted(struct fake_call *call)
{
    (void)call;
    return -EINTR;
}

TEST(a_signal_handler_ends_the_wait)
{
    fake.on_sleep = interrupted;
    assert_int_equal(fw_permits_wait_posix_(&s.state_, NULL), EINTR);
    assert_word(&s, 0);
    assert_int_equal(fake.waits, 1);
}

static int posted_and_interrupted(struct fake_call *call)
{
    (void)call;
    s.state_ = 1 | WAITERS(1) | WAKING(1);
    return -EINTR;
}

TEST(a_unit_that_is_there_is_taken_all_the_same)
{
    fake.on_sleep = posted_and_interrupted;
    assert_int_equal(fw_permits_wait_posix_(&s.state_, NULL), 0);
    assert_word(&s, 0);
}

TEST(a_deadline_ends_it_too)
{
    fw_deadline d = fake_deadline(CLOCK_REALTIME, 1000), bad = {{0, -1}, CLOCK_REALTIME};

    assert_int_equal(fw_permits_wait_posix_(&s.state_, &d), ETIMEDOUT);
    assert_int_equal(fw_permits_wait_posix_(&s.state_, &bad), EINVAL);
    assert_word(&s, 0);
}

/* The thread ends here; fake_futex.c does not come to take it off the list. */
static void be_cancelled(void)
{
    fake.on_cancel(fake.cancel_arg);
    fake.n_sleepers = 0;
    longjmp(unwound, 1);
}

/* Woken, and somebody was quicker; half a millisecond later once more. */
static void lose(void)
{
    post();
    assert_true(fw_permits_take_(&s.state_));
    if (fake.waits == 2)
        fake.now_ns += STARVATION_NS;
}

static int cancelled_with_its_unit(struct fake_call *call)
{
    if (fake.waits < 3) {
        assert_false(call->has_deadline); /* no slices: a handler would be missed */
        lose();
        return FAKE_COMPARE;
    }
    assert_word(&s, RESERVED | RECHECKING | WAITERS(1));
    s.state_ += WAITERS(1);
    post();
    be_cancelled();
    return 0;
}

TEST(a_reserved_unit_is_given_back)
{
    fake.on_sleep = cancelled_with_its_unit;
    if (setjmp(unwound) == 0) {
        fw_permits_wait_posix_(&s.state_, NULL);
        fail_msg("it came back");
    }
    assert_word(&s, 1 | WAITERS(1) | WAKING(1));
}

TEST(a_trywait_takes_what_is_reserved)
{
    s.state_ = 2 | RESERVED | WAITERS(2) | WAKING(1);
    assert_true(fw_permits_take_any_(&s.state_));
    assert_word(&s, 1 | RESERVED | WAITERS(2) | WAKING(1));
    assert_false(fw_permits_take_(&s.state_));
    assert_true(fw_permits_take_any_(&s.state_));
    assert_word(&s, RESERVED | RECHECKING | WAITERS(2) | WAKING(1)); /* it may be about to sleep */
    assert_false(fw_permits_take_any_(&s.state_));
    post();
    assert_wake(0, value_word(&s), 1);
}

/* At once, and after it has slept. */
TEST(no_wait_fails_beside_a_unit)
{
    fw_deadline past = fake_deadline(CLOCK_REALTIME, 0);

    s.state_ = 1 | RESERVED | WAITERS(1);
    assert_int_equal(fw_permits_wait_posix_(&s.state_, &past), 0);
    assert_word(&s, RESERVED | RECHECKING | WAITERS(1));
    assert_int_equal(fw_permits_wait_posix_(&s.state_, &past), ETIMEDOUT);
}

static int posted_for_another(struct fake_call *call)
{
    (void)call;
    s.state_ += 1;
    return -EINTR;
}

TEST(nor_does_one_that_has_slept)
{
    s.state_ = RESERVED | WAITERS(1);
    fake.on_sleep = posted_for_another;
    assert_int_equal(fw_permits_wait_posix_(&s.state_, NULL), 0);
    assert_word(&s, RESERVED | RECHECKING | WAITERS(1));
}

TEST(a_real_time_thread_does_not_wait_beside_a_unit)
{
    fake.urgency = 5;
    s.state_ = 1 | RESERVED | WAITERS(1);
    assert_int_equal(fw_permits_wait_posix_(&s.state_, NULL), 0);
    assert_word(&s, RESERVED | RECHECKING | WAITERS(1));
    assert_int_equal(fake.waits, 0);
}

/* Of others the reservation keeps what it promises. */
TEST(another_thread_does)
{
    s.state_ = 1 | RESERVED | WAITERS(1);
    fake.on_sleep = interrupted;
    fw_permits_wait_posix_(&s.state_, NULL);
    assert_int_equal(fake.waits, 1);
}

UNIT_MAIN(reset, NULL)
