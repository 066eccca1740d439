/* SPDX-License-Identifier: MIT */
#include <furwock/event.h>

#include "permits_words.h"

/* src/thread/event.c: manual events in full; automatic ones as far as they differ from permits. */

#define SET UINT64_C(1)
#define ROUND(n) ((uint64_t)(uint32_t)(2u * (n)))

static fw_event e;

static int manual(void)
{
    fake_reset();
    return fw_event_init(&e, FW_EVENT_MANUAL, false);
}

TEST(init_makes_both_kinds)
{
    static fw_event zero, by_macro = FW_EVENT_INIT_AUTO;

    assert_int_equal(fw_event_init(&e, (fw_event_kind)2, false), EINVAL);
    for (int kind = 0; kind < 2; kind++) {
        assert_int_equal(fw_event_init(&e, (fw_event_kind)kind, true), 0);
        assert_true(fw_event_is_set(&e));
        assert_int_equal(fw_event_trywait(&e), 0);
        assert_int_equal(fw_event_is_set(&e), kind == FW_EVENT_MANUAL);
    }
    fw_event_set(&zero);
    assert_int_equal(fw_event_trywait(&zero), 0);
    assert_int_equal(fw_event_trywait(&zero), 0);
    fw_event_set(&by_macro);
    assert_int_equal(fw_event_trywait(&by_macro), 0);
    assert_int_equal(fw_event_trywait(&by_macro), EAGAIN);
}

TEST(the_round_wraps_around)
{
    e.state_ = ROUND(0x7fffffff) | WAITERS(3);
    fw_event_set(&e);
    assert_word(&e, SET);
}

TEST(too_many_waiters_panic)
{
    e.state_ = WAITERS(0xfffff);
    FAKE_EXPECT_PANIC(fw_event_wait_policy(&e, &block, NULL));
    assert_string_equal(fake.panic_what, "too many waiters");
}

static void set_at_the_third_poll(void)
{
    if (fake.pauses != 3)
        return;
    fw_event_set(&e);
    fw_event_reset(&e);
    assert_word(&e, ROUND(1));
}

TEST(pollers_pass_also_after_a_reset)
{
    static const fw_wait_policy spin = {FW_WAIT_SPIN, 0};

    fake.on_poll = set_at_the_third_poll;
    assert_int_equal(fw_event_wait_policy(&e, &spin, NULL), 0);
    assert_int_equal(fake.n_calls, 0);
}

static int set_twice(struct fake_call *call)
{
    (void)call;
    e.state_ += WAITERS(1);
    fw_event_set(&e);
    fw_event_set(&e);
    assert_word(&e, 1 | WAITERS(2) | WAKING(1));
    return FAKE_COMPARE;
}

TEST(an_automatic_event_wakes_one)
{
    fw_event_init(&e, FW_EVENT_AUTO, false);
    fake.on_sleep = set_twice;
    assert_int_equal(fw_event_wait_policy(&e, &block, NULL), 0);
    assert_word(&e, WAITERS(1));
    assert_int_equal(fake.wakes, 1);
    assert_wake(0, upper_half(&e), 1);
}

UNIT_MAIN(manual, NULL)
