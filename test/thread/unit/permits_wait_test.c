/* SPDX-License-Identifier: MIT */
#include <setjmp.h>

#include "permits_words.h"

/*
 * src/thread/permits_wait.c: a waiter that keeps losing has a permit reserved; and POSIX mode, in
 * which a wait is interrupted and cancelled.  (The rest: permits_test.c.)
 */

/* Woken, and somebody was quicker; half a millisecond later once more. */
static int loses_twice(struct fake_call *call)
{
    assert_ptr_equal(call->word, upper_half(&supply));
    post(1);
    steal();
    if (fake.waits == 2)
        fake.now_ns += STARVATION_NS;
    return FAKE_COMPARE;
}

static int loses_then_gets_it(struct fake_call *call)
{
    if (fake.waits < 3)
        return loses_twice(call);
    assert_word(&supply, RESERVED | RECHECKING | WAITERS(1));
    assert_ptr_equal(call->word, lower_half(&supply));
    assert_int_equal(call->expected, RESERVED);
    post(1);
    assert_word(&supply, 1 | RESERVED | WAITERS(1));
    assert_false(fw_permits_take_(&supply.state_));
    return FAKE_COMPARE;
}

TEST(a_waiter_that_keeps_losing_reserves_the_next_permit)
{
    fake.on_sleep = loses_then_gets_it;
    assert_int_equal(wait_blocking(NULL), 0);
    assert_word(&supply, 0);
    assert_int_equal(fake.waits, 3);
    assert_wake(2, lower_half(&supply), 1);
}

/* Nobody wakes the loser: its own patience does. */
static int loses_and_is_forgotten(struct fake_call *call)
{
    if (fake.waits == 1)
        return loses_twice(call);
    if (fake.waits == 2) {
        assert_true(call->has_deadline);
        return FAKE_COMPARE;
    }
    return loses_then_gets_it(call);
}

TEST(patience_ends_by_itself)
{
    fake.on_sleep = loses_and_is_forgotten;
    assert_int_equal(wait_blocking(NULL), 0);
    assert_word(&supply, 0);
    assert_int_equal(fake.waits, 3);
}

static void time_goes_by(void)
{
    if (is_reserved(supply.state_) && permits_value(supply.state_) == 0) {
        assert_word(&supply, RESERVED | WAITERS(1));
        post(1);
        assert_false(fw_permits_take_(&supply.state_));
    }
}

TEST(one_that_never_sleeps_reserves_too)
{
    static const fw_wait_policy spin = {FW_WAIT_SPIN, 0};

    fake.pause_ns = 100000;
    fake.clock_step_ns = 100000;
    fake.on_poll = time_goes_by;
    assert_int_equal(fw_permits_wait_(&supply.state_, &spin, NULL), 0);
    assert_word(&supply, 0);
    assert_int_equal(fake.waits, 0);
}

/* --- POSIX mode ---------------------------------------------------------------------------- */

static jmp_buf unwound;

/* No polling: it sleeps at once. */
static int wait_posix(const fw_deadline *deadline)
{
    supply.spin = 1000;
    return fw_permits_wait_posix_(&supply.state_, deadline);
}

static int interrupted(struct fake_call *call)
{
    (void)call;
    return -EINTR;
}

TEST(a_signal_handler_ends_the_wait)
{
    fake.on_sleep = interrupted;
    assert_int_equal(wait_posix(NULL), EINTR);
    assert_word(&supply, 0);
    assert_int_equal(fake.waits, 1);
}

TEST(a_deadline_ends_it_too)
{
    fw_deadline d = fake_deadline(CLOCK_REALTIME, 1000), bad = {{0, -1}, CLOCK_REALTIME};

    assert_int_equal(wait_posix(&d), ETIMEDOUT);
    assert_int_equal(wait_posix(&bad), EINVAL);
    assert_word(&supply, 0);
}

/* The thread ends here; fake_futex.c does not come to take it off the list. */
static void be_cancelled(void)
{
    fake.on_cancel(fake.cancel_arg);
    fake.n_sleepers = 0;
    longjmp(unwound, 1);
}

static int cancelled_with_its_permit(struct fake_call *call)
{
    if (fake.waits < 3) {
        assert_false(call->has_deadline); /* no slices: a handler would be missed */
        return loses_twice(call);
    }
    assert_word(&supply, RESERVED | RECHECKING | WAITERS(1));
    supply.state_ += WAITERS(1);
    post(1);
    be_cancelled();
    return 0;
}

TEST(a_reserved_unit_is_given_back)
{
    fake.on_sleep = cancelled_with_its_permit;
    if (setjmp(unwound) == 0) {
        wait_posix(NULL);
        fail_msg("it came back");
    }
    assert_word(&supply, 1 | WAITERS(1) | WAKING(1));
}

TEST(a_trywait_takes_what_is_reserved)
{
    supply.state_ = 2 | RESERVED | WAITERS(2) | WAKING(1);
    assert_true(fw_permits_take_any_(&supply.state_));
    assert_word(&supply, 1 | RESERVED | WAITERS(2) | WAKING(1));
    assert_false(fw_permits_take_(&supply.state_));
    assert_true(fw_permits_take_any_(&supply.state_));
    assert_word(&supply,
                RESERVED | RECHECKING | WAITERS(2) | WAKING(1)); /* it may be about to sleep */
    assert_false(fw_permits_take_any_(&supply.state_));
    post(1);
    assert_wake(0, lower_half(&supply), 1);
}

/* At once, and after it has slept. */
TEST(no_wait_fails_beside_a_permit)
{
    fw_deadline past = fake_deadline(CLOCK_REALTIME, 0);

    supply.state_ = 1 | RESERVED | WAITERS(1);
    assert_int_equal(wait_posix(&past), 0);
    assert_word(&supply, RESERVED | RECHECKING | WAITERS(1));
    assert_int_equal(wait_posix(&past), ETIMEDOUT);
}

static int posted_for_another(struct fake_call *call)
{
    (void)call;
    supply.state_ += 1;
    return -EINTR;
}

TEST(nor_does_one_that_has_slept)
{
    supply.state_ = RESERVED | WAITERS(1);
    fake.on_sleep = posted_for_another;
    assert_int_equal(wait_posix(NULL), 0);
    assert_word(&supply, RESERVED | RECHECKING | WAITERS(1));
}

/* Of others the reservation keeps what it promises. */
TEST(only_a_real_time_thread_does_not_wait_beside_a_permit)
{
    fake.urgency = 5;
    supply.state_ = 1 | RESERVED | WAITERS(1);
    assert_int_equal(wait_posix(NULL), 0);
    assert_word(&supply, RESERVED | RECHECKING | WAITERS(1));
    assert_int_equal(fake.waits, 0);
    fake.urgency = 0;
    supply.state_ = 1 | RESERVED | WAITERS(1);
    fake.on_sleep = interrupted;
    wait_posix(NULL);
    assert_int_equal(fake.waits, 1);
}

UNIT_MAIN(reset_supply, NULL)
