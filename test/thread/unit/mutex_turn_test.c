/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "core/saturation.h"
#include "mutex_words.h"

/* src/thread/mutex_turn.c: a saturated mutex, whose owners rest. */

enum { ENOUGH = 100, REST_NS = 50000 };

static int reset(void)
{
    memset(fw_saturation_table_(), 0, FW_SATURATION_BYTES_);
    reset_mutex();
    fake.pause_ns = 40;
    fake.clock_step_ns = 20;
    return 0;
}

/* The mutex is saturated, and the caller had it before OWNER took it. */
static void make_saturated(void)
{
    for (unsigned i = 0; i < ENOUGH; i++)
        fw_saturation_learns_(&m, true);
    fw_saturation_taken_(&m);
    m.state_ = HELD(OWNER);
}

/* A sleep that nobody can end, as it is on no part of the lock. */
static int rests(struct fake_call *call)
{
    assert_true(call->word < upper_half(&m) - 1 || call->word > upper_half(&m));
    assert_true(call->has_deadline);
    assert_word(&m, HELD(OWNER)); /* it has not joined */
    fake.now_ns += REST_NS;
    return -ETIMEDOUT;
}

static void owner_leaves(void)
{
    if (m.state_ == HELD(OWNER))
        AS(OWNER, fw_mutex_unlock(&m));
}

static int rests_and_owner_leaves(struct fake_call *call)
{
    fake.on_poll = owner_leaves;
    return rests(call);
}

TEST(who_has_had_it_rests_before_it_waits)
{
    make_saturated();
    fake.on_wait = rests_and_owner_leaves;
    fw_mutex_lock(&m);
    assert_word(&m, MINE);
    assert_int_equal(fake.waits, 1);
}

TEST(who_has_not_had_it_lately_does_not_rest)
{
    make_saturated();
    fake.now_ns += 1000000000;
    fake.on_poll = owner_leaves;
    fw_mutex_lock(&m);
    assert_int_equal(fake.waits, 0);
}

TEST(nobody_rests_at_a_lock_that_is_not_saturated)
{
    m.state_ = HELD(OWNER);
    fake.on_poll = owner_leaves;
    fw_mutex_lock(&m);
    assert_int_equal(fake.waits, 0);
}

TEST(a_real_time_thread_does_not_rest)
{
    make_saturated();
    fake.urgency = 1;
    fake.on_poll = owner_leaves;
    fw_mutex_lock(&m);
    assert_int_equal(fake.waits, 0);
}

/* Who says how to wait gets that. */
TEST(with_a_policy_nobody_rests)
{
    static const fw_wait_policy named[] = {{FW_WAIT_ADAPTIVE, 7000},
                                           {FW_WAIT_SPIN_THEN_BLOCK, 7000},
                                           {FW_WAIT_YIELD, 0},
                                           {FW_WAIT_SPIN, 0}};
    static const fw_wait_policy usual = {FW_WAIT_DEFAULT, 0};

    for (unsigned i = 0; i < sizeof named / sizeof *named; i++) {
        make_saturated();
        fake.on_poll = owner_leaves;
        assert_int_equal(fw_mutex_lock_policy(&m, &named[i], NULL), 0);
        assert_int_equal(fake.waits, 0);
    }
    assert_int_equal(fw_wait_set_default(&named[1]), 0); /* FURWOCK_POLICY */
    make_saturated();
    fw_mutex_lock(&m);
    assert_int_equal(fake.waits, 0);
    assert_int_equal(fw_wait_set_default(&usual), 0);
    make_saturated();
    fake.on_wait = rests_and_owner_leaves;
    assert_int_equal(fw_mutex_lock_policy(&m, &usual, NULL), 0);
    assert_int_equal(fake.waits, 1);
}

static int rests_until_the_deadline(struct fake_call *call)
{
    if (fake.waits > 1) /* it waits in the queue, which it need not */
        return FAKE_COMPARE;
    assert_true(call->deadline.at.tv_sec * UINT64_C(1000000000) +
                    (uint64_t)call->deadline.at.tv_nsec <=
                fake.now_ns + 1000);
    fake.now_ns += 1000;
    return -ETIMEDOUT;
}

TEST(a_rest_does_not_outlast_the_deadline)
{
    fw_deadline soon = fake_deadline(CLOCK_MONOTONIC, 500);

    make_saturated();
    fake.on_wait = rests_until_the_deadline;
    assert_int_equal(fw_mutex_timedlock(&m, &soon), ETIMEDOUT);
    assert_word(&m, HELD(OWNER) | (m.state_ & FENCED));
}

static void owner_comes_and_goes(void)
{
    if (m.state_ == HELD(OWNER))
        AS(OWNER, fw_mutex_unlock(&m));
    else if (m.state_ == 0 && fake.pauses % 2 == 0)
        AS(OWNER, fw_mutex_lock(&m));
}

/* Once in a wait, and then it takes it: a waiter does not starve of courtesy. */
TEST(a_waiter_leaves_the_lock_to_an_owner_that_comes_back)
{
    fake.one_in = true;
    m.state_ = HELD(OWNER);
    fake.on_poll = owner_comes_and_goes;
    fw_mutex_lock(&m);
    assert_word(&m, MINE);
    assert_true(fake.pauses > 2);
    fake.one_in = false;
    assert_true(fw_saturation_asks_(&m)); /* it has learnt */
}

TEST(a_waiter_takes_a_lock_to_which_nobody_comes_back)
{
    fake.one_in = true;
    m.state_ = HELD(OWNER);
    fake.on_poll = owner_leaves;
    fw_mutex_lock(&m);
    assert_word(&m, MINE);
    fake.one_in = false;
    assert_false(fw_saturation_asks_(&m));
}

/* Where nobody uses the lock after rests, there are no more rests. */
TEST(rests_that_were_mistakes_come_to_an_end)
{
    unsigned rests_taken = 0;

    make_saturated();
    for (unsigned i = 0; i < ENOUGH; i++) {
        fw_saturation_taken_(&m);
        m.state_ = HELD(OWNER);
        fake.waits = 0;
        fake.on_wait = rests_and_owner_leaves;
        fake.on_poll = owner_leaves;
        fw_mutex_lock(&m);
        rests_taken += fake.waits;
    }
    assert_true(rests_taken > 0 && rests_taken < ENOUGH / 2);
}

UNIT_MAIN(reset, NULL)
