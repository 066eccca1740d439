/* SPDX-License-Identifier: MIT */
#include <furwock/latch.h>

#include "thread/latch_word.h"
#include "words.h"

/* src/thread/latch.c over the fake kernel. */

static fw_latch l;

static int reset(void)
{
    fake_reset();
    l = (fw_latch)FW_LATCH_INIT(1);
    return 0;
}

TEST(limits)
{
    assert_int_equal(fw_latch_init(&l, FW_LATCH_MAX + 1), EINVAL);
    assert_int_equal(l.state_, 1);
    assert_int_equal(fw_latch_init(&l, FW_LATCH_MAX), 0);
    fw_latch_count_down(&l, FW_LATCH_MAX);
    assert_int_equal(fw_latch_trywait(&l), 0);
    assert_int_equal(fw_latch_init(&l, 0), 0);
    assert_int_equal(fw_latch_trywait(&l), 0);
}

TEST(counts_down_in_steps)
{
    fw_latch_init(&l, 5);
    fw_latch_count_down(&l, 0);
    fw_latch_count_down(&l, 3);
    assert_int_equal(fw_latch_trywait(&l), EAGAIN);
    fw_latch_count_down(&l, 1);
    assert_int_equal(fw_latch_trywait(&l), EAGAIN);
    fw_latch_arrive_and_wait(&l, 1);
    assert_int_equal(fw_latch_trywait(&l), 0);
    fw_latch_count_down(&l, 0);
    assert_int_equal(fake.n_calls, 0);
}

TEST(below_zero_panics)
{
    fw_latch_init(&l, 2);
    FAKE_EXPECT_PANIC(fw_latch_count_down(&l, 3));
    assert_ptr_equal(fake.panic_lock, &l);
    assert_int_equal(fake.panic_caller, FAKE_ID(FAKE_SELF));
    fw_latch_init(&l, 0);
    FAKE_EXPECT_PANIC(fw_latch_count_down(&l, 1));
    l.state_ = LATCH_SLEEPERS;
    FAKE_EXPECT_PANIC(fw_latch_count_down(&l, 1));
    fw_latch_init(&l, 7);
    FAKE_EXPECT_PANIC(fw_latch_count_down(&l, UINT32_MAX));
}

static int other_counts_one(struct fake_call *call)
{
    (void)call;
    fw_latch_count_down(&l, 1);
    assert_int_equal(fake.wakes, latch_is_open(l.state_) ? 1 : 0);
    return FAKE_SPURIOUS;
}

TEST(counting_without_opening_wakes_nobody)
{
    fw_latch_init(&l, 3);
    fake.on_sleep = other_counts_one;
    assert_int_equal(fw_latch_wait_policy(&l, &block, NULL), 0);
    assert_int_equal(fake.waits, 3);
    assert_int_equal(fake.wakes, 1);
}

UNIT_MAIN(reset, NULL)
