/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "permits_words.h"

/*
 * src/thread/permits_wait.c: a waiter that keeps losing has a unit reserved (the rest:
 * permits_test.c).
 */

static struct supply s;

static int reset(void)
{
    memset(&s, 0, sizeof s);
    fake_reset();
    return 0;
}

static void post(uint32_t n)
{
    assert_true(fw_permits_post_(&s.state_, n, PERMITS_VALUE_MAX));
}

static void steal(void)
{
    assert_true(fw_permits_take_(&s.state_));
}

/* Woken, and somebody was quicker; half a millisecond later once more. */
static int loses_twice(struct fake_call *call)
{
    assert_ptr_equal(call->word, sleepers_word(&s));
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
    assert_word(&s, RESERVED | RECHECKING | WAITERS(1));
    assert_ptr_equal(call->word, value_word(&s));
    assert_int_equal(call->expected, RESERVED);
    post(1);
    assert_word(&s, 1 | RESERVED | WAITERS(1));
    assert_false(fw_permits_take_(&s.state_));
    return FAKE_COMPARE;
}

TEST(a_waiter_that_keeps_losing_reserves_the_next_unit)
{
    fake.on_sleep = loses_then_gets_it;
    assert_int_equal(fw_permits_wait_(&s.state_, &block, NULL), 0);
    assert_word(&s, 0);
    assert_int_equal(fake.waits, 3);
    assert_wake(2, value_word(&s), 1);
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
    assert_int_equal(fw_permits_wait_(&s.state_, &block, NULL), 0);
    assert_word(&s, 0);
    assert_int_equal(fake.waits, 3);
}

/* Another has the reservation: queue like the others. */
static int loses_to_a_reservation(struct fake_call *call)
{
    if (fake.waits < 3) {
        loses_twice(call);
        if (fake.waits == 2)
            s.state_ = RESERVED | WAITERS(2);
        return FAKE_SPURIOUS;
    }
    assert_ptr_equal(call->word, sleepers_word(&s));
    assert_word(&s, RESERVED | WAITERS(2));
    assert_false(call->has_deadline);
    post(2);
    assert_word(&s, 2 | RESERVED | WAITERS(2) | WAKING(1));
    return FAKE_COMPARE;
}

TEST(there_is_one_reservation_at_a_time)
{
    fake.on_sleep = loses_to_a_reservation;
    assert_int_equal(fw_permits_wait_(&s.state_, &block, NULL), 0);
    assert_word(&s, 1 | RESERVED | WAITERS(1));
}

static void time_goes_by(void)
{
    if (is_reserved(s.state_) && permits_value(s.state_) == 0) {
        assert_word(&s, RESERVED | WAITERS(1));
        post(1);
        assert_false(fw_permits_take_(&s.state_));
    }
}

TEST(one_that_never_sleeps_reserves_too)
{
    static const fw_wait_policy spin = {FW_WAIT_SPIN, 0};

    fake.pause_ns = 100000;
    fake.clock_step_ns = 100000;
    fake.on_poll = time_goes_by;
    assert_int_equal(fw_permits_wait_(&s.state_, &spin, NULL), 0);
    assert_word(&s, 0);
    assert_int_equal(fake.waits, 0);
}

UNIT_MAIN(reset, NULL)
