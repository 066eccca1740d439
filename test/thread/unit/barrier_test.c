/* SPDX-License-Identifier: MIT */
#include <furwock/barrier.h>

#include "thread/barrier_word.h"
#include "words.h"

/* src/thread/barrier.c over the fake kernel. */

#define ROUND(n) ((uint64_t)(n) << BARRIER_ROUND_SHIFT)
#define INSIDE(n) ((uint64_t)(n)*BARRIER_INSIDE_ONE)
#define SLEEPERS BARRIER_SLEEPERS
#define SLEPT BARRIER_SLEPT
#define GOES BARRIER_GOES

static fw_barrier b;

static int reset(void)
{
    fake_reset();
    b = (fw_barrier)FW_BARRIER_INIT(2);
    return 0;
}

TEST(limits)
{
    assert_int_equal(fw_barrier_init(&b, 0), EINVAL);
    assert_int_equal(fw_barrier_init(&b, FW_BARRIER_MAX + 1), EINVAL);
    assert_word(&b, 2);
    assert_int_equal(fw_barrier_init(&b, FW_BARRIER_MAX), 0);
    assert_word(&b, FW_BARRIER_MAX);
    assert_int_equal(fw_barrier_arrive(&b), 0);
    assert_word(&b, FW_BARRIER_MAX - 1);
}

TEST(alone)
{
    fw_barrier_init(&b, 1);
    for (unsigned i = 0; i < 5; i++) {
        assert_word(&b, ROUND(i) | 1);
        assert_int_equal(fw_barrier_wait(&b), FW_BARRIER_SERIAL);
    }
    assert_int_equal(fake.n_calls, 0);
    fw_barrier_destroy(&b);
    assert_int_equal(fake.n_calls, 0);
}

MEANWHILE(ended_on_the_way, fw_barrier_arrive(&b))

TEST(an_arrival_is_awaited_later)
{
    uint32_t first = fw_barrier_arrive(&b);

    fake.on_sleep = ended_on_the_way;
    fw_barrier_await(&b, first);
    assert_word(&b, ROUND(1) | SLEPT | 2);
}

TEST(who_drops_is_missed_no_more)
{
    fw_barrier_init(&b, 3);
    fw_barrier_drop(&b);
    assert_word(&b, 2);
    assert_int_equal(b.parties_, 2);
    fw_barrier_arrive(&b);
    fw_barrier_arrive(&b);
    assert_word(&b, ROUND(1) | 2);
    fw_barrier_drop(&b);
    fw_barrier_drop(&b);
    assert_word(&b, ROUND(2));
    FAKE_EXPECT_PANIC(fw_barrier_wait(&b));
}

TEST(too_many_panic)
{
    fw_barrier zeroes = {0, 0, 0};

    FAKE_EXPECT_PANIC(fw_barrier_wait(&zeroes));
    assert_ptr_equal(fake.panic_lock, &zeroes);
    assert_int_equal(fake.panic_caller, FAKE_ID(FAKE_SELF));
    b.state_ = ROUND(3); /* all have arrived, and the round has not ended */
    FAKE_EXPECT_PANIC(fw_barrier_arrive(&b));
}

TEST(polling_that_did_not_help_is_left_out)
{
    fake.on_sleep = ended_on_the_way;
    assert_int_equal(fw_barrier_wait(&b), 0);
    assert_true(fake.pauses > 0);
    for (unsigned round = 1; round <= 256; round++) {
        fake.pauses = 0;
        fake.n_calls = 0;
        assert_word(&b, ROUND(round) | SLEPT | 2);
        assert_int_equal(fw_barrier_wait(&b), 0);
        assert_int_equal(fake.pauses > 0, round == 256); /* the trial */
    }
}

TEST(nobody_polls_beside_a_sleeper)
{
    b.state_ |= SLEEPERS;
    fake.on_sleep = ended_on_the_way;
    assert_int_equal(fw_barrier_wait(&b), 0);
    assert_int_equal(fake.pauses, 0);
}

TEST(a_policy_is_obeyed)
{
    static const fw_wait_policy patient = {FW_WAIT_SPIN_THEN_BLOCK, 1000};
    static const fw_wait_policy odd = {(fw_wait_kind)7, 0};

    b.state_ |= ROUND(1) | SLEPT;
    fake.on_sleep = ended_on_the_way;
    assert_int_equal(fw_barrier_wait_policy(&b, &patient), 0);
    assert_true(fake.pauses > 0);
    assert_int_equal(fw_barrier_wait_policy(&b, &odd), EINVAL);
    assert_word(&b, ROUND(2) | SLEPT | 2);
}

static int one_leaves(struct fake_call *call)
{
    assert_ptr_equal(call->word, lower_half(&b));
    b.state_ -= INSIDE(1);
    return FAKE_SPURIOUS;
}

TEST(destroy_waits_for_those_inside)
{
    b.state_ |= INSIDE(3) | ROUND(9);
    fake.on_sleep = one_leaves;
    fw_barrier_destroy(&b);
    assert_int_equal(fake.waits, 3);
    assert_word(&b, 0);
    FAKE_EXPECT_PANIC(fw_barrier_wait(&b));
}

TEST(destroying_what_is_waited_at_panics)
{
    b.state_ = INSIDE(1) | 1;
    FAKE_EXPECT_PANIC(fw_barrier_destroy(&b));
    b.state_ = 1; /* arrived, and does not wait */
    fw_barrier_destroy(&b);
}

TEST(destroying_may_be_tried)
{
    b.state_ = INSIDE(1) | 1;
    assert_int_equal(fw_barrier_trydestroy(&b), EBUSY);
    assert_word(&b, INSIDE(1) | 1);
    b.state_ = INSIDE(1) | 2; /* on the way out */
    fake.on_sleep = one_leaves;
    assert_int_equal(fw_barrier_trydestroy(&b), 0);
    assert_int_equal(fake.waits, 1);
    fw_barrier_init(&b, 2);
    b.state_ = INSIDE(1) | 2;
    fake.fork_generation++;
    assert_int_equal(fw_barrier_trydestroy(&b), EBUSY);
}

/* Its threads are of this process: no other can have ended a round of what was made in it. */
TEST(a_static_one_of_a_forked_child_is_destroyed)
{
    uint32_t phase;

    fake.fork_generation++;
    assert_false(fw_barrier_arrive_(&b, 1, true, false, &phase));
    assert_int_equal(fw_barrier_wait(&b), FW_BARRIER_SERIAL);
    assert_word(&b, ROUND(1) | INSIDE(1) | 2); /* on the way out */
    fake.on_sleep = one_leaves;
    assert_int_equal(fw_barrier_trydestroy(&b), 0);
}

TEST(several_at_once_with_a_completion)
{
    uint32_t phase = 9;

    fw_barrier_init(&b, 4);
    assert_false(fw_barrier_arrive_(&b, 2, false, false, &phase));
    assert_int_equal(phase, 0);
    assert_false(fw_barrier_arrive_(&b, 1, true, true, &phase));
    assert_true(fw_barrier_arrive_(&b, 1, true, false, &phase));
    assert_word(&b, INSIDE(2));
    fw_barrier_open_(&b, true);
    assert_word(&b, ROUND(1) | INSIDE(1) | 3);
    fw_barrier_stay_(&b, 0);
    assert_word(&b, ROUND(1) | 3);
}

UNIT_MAIN(reset, NULL)
