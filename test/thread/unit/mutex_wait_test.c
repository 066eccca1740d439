/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include <furwock/futex.h>

#include "mutex_words.h"

/* src/thread/mutex.c, waiting: joining, fencing, sleeping, waking, losing, giving up. */

static fw_mutex m;

static int reset(void)
{
    fw_mutex_init(&m);
    return reset_fake();
}

static void unlock_as(uint32_t tid)
{
    uint32_t before = fake_as(tid);

    fw_mutex_unlock(&m);
    fake_as(before >> FW_ID_SHIFT);
}

static void lock_blocking(void)
{
    assert_int_equal(fw_mutex_lock_policy(&m, &block, NULL), 0);
}

/* What a sleep in line must look like. */
static void assert_sleep(const struct fake_call *call, uint64_t word, uint32_t bits)
{
    assert_word(&m, word);
    assert_ptr_equal(call->word, waiters_word(&m));
    assert_int_equal(call->expected, word >> 32);
    assert_int_equal(call->bits, bits);
    assert_int_equal(call->flags, FW_FUTEX_PRIVATE);
}

static void fence_sees_the_waiter(void)
{
    assert_word(&m, HELD(OWNER) | WAITERS(1));
}

static int owner_leaves(struct fake_call *call)
{
    assert_sleep(call, HELD(OWNER) | FENCED | WAITERS(1), MUTEX_CLASS_NEW);
    unlock_as(OWNER);
    assert_word(&m, FENCED | WAKING | WAITERS(1));
    return FAKE_COMPARE;
}

TEST(joins_fences_sleeps_and_takes)
{
    m.state_ = HELD(OWNER);
    fake.on_fence = fence_sees_the_waiter;
    fake.on_sleep = owner_leaves;
    lock_blocking();
    assert_word(&m, MINE | FENCED);
    assert_int_equal(fake.fences, 1);
    assert_int_equal(fake.waits, 1);
    assert_int_equal(fake.wakes, 1);
    assert_int_equal(fake.pauses + fake.yields, 0);
}

TEST(a_fenced_lock_needs_no_fence)
{
    m.state_ = HELD(OWNER) | FENCED;
    fake.on_sleep = owner_leaves;
    lock_blocking();
    assert_word(&m, MINE | FENCED);
    assert_int_equal(fake.fences, 0);
}

static void owner_leaves_during_the_fence(void)
{
    unlock_as(OWNER);
}

TEST(a_release_during_the_fence_saves_the_sleep)
{
    m.state_ = HELD(OWNER);
    fake.on_fence = owner_leaves_during_the_fence;
    lock_blocking();
    assert_word(&m, MINE | FENCED);
    assert_int_equal(fake.waits, 0);
}

static int woken_for_nothing(struct fake_call *call)
{
    if (fake.waits == 1)
        return FAKE_SPURIOUS;
    /* It cannot know that the wake was not meant for it: it counts as old now. */
    assert_sleep(call, HELD(OWNER) | FENCED | RETRY | WAITERS(1), MUTEX_CLASS_RETRY);
    unlock_as(OWNER);
    assert_word(&m, FENCED | WAKING | WAITERS(1));
    return FAKE_COMPARE;
}

TEST(spurious_wakes_do_no_harm)
{
    m.state_ = HELD(OWNER);
    fake.on_sleep = woken_for_nothing;
    lock_blocking();
    assert_word(&m, MINE | FENCED);
    assert_int_equal(fake.waits, 2);
    assert_int_equal(fake_nth(FAKE_WAKE, 0)->bits, MUTEX_CLASS_RETRY);
}

/* Others are asleep and awake as well; the word says what is needed of each sleep. */
static int an_urgent_one_loses_races(struct fake_call *call)
{
    assert_sleep(call, HELD(OWNER) | FENCED | URGENT | WAITERS(2), MUTEX_CLASS_NEW);
    assert_false(call->has_deadline); /* no bounded wait */
    if (fake.waits < 6)
        return FAKE_SPURIOUS;
    unlock_as(OWNER);
    assert_word(&m, FENCED | WAKING | WAITERS(2));
    return FAKE_COMPARE;
}

TEST(a_real_time_thread_sleeps_without_bound)
{
    m.state_ = HELD(OWNER) | FENCED | WAITERS(1);
    fake.urgency = 20;
    fake.on_sleep = an_urgent_one_loses_races;
    lock_blocking();
    assert_word(&m, MINE | FENCED | URGENT | WAITERS(1)); /* the other may be one, too */
}

TEST(an_unsigned_owner_is_waited_for)
{
    fw_deadline d = fake_deadline(CLOCK_MONOTONIC, 1000);

    m.state_ = UNSIGNED;
    assert_int_equal(fw_mutex_lock_policy(&m, &block, &d), ETIMEDOUT);
    assert_word(&m, UNSIGNED | FENCED);
}

TEST(unfenced_sleeps_are_short)
{
    fw_deadline d = fake_deadline(CLOCK_MONOTONIC, 2500000);
    uint64_t start = fake.now_ns;

    m.state_ = HELD(OWNER);
    fake.fence_result = -EPERM;
    assert_int_equal(fw_mutex_lock_policy(&m, &block, &d), ETIMEDOUT);
    assert_word(&m, HELD(OWNER));
    assert_true(fake.waits >= 3);
    assert_int_equal(fake.fences, fake.waits); /* it asks again: the answer may change */
    for (unsigned i = 0; i < fake.waits; i++) {
        const struct fake_call *sleep = fake_nth(FAKE_WAIT, i);

        assert_true(sleep->has_deadline);
        assert_int_equal(sleep->deadline.clock, CLOCK_MONOTONIC);
        assert_int_equal(sleep->expected & (FENCED >> 32), 0);
    }
    assert_int_equal(fake.now_ns - start, 2500000);
}

static int fault(struct fake_call *call)
{
    (void)call;
    return -EFAULT;
}

TEST(an_impossible_kernel_answer_panics)
{
    m.state_ = HELD(OWNER);
    fake.on_wait = fault;
    FAKE_EXPECT_PANIC(fw_mutex_lock(&m));
    assert_string_equal(fake.panic_what, "futex wait");
    assert_int_equal(fake.panic_error, EFAULT);
}

UNIT_MAIN(reset, NULL)
