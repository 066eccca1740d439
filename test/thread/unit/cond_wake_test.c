/* SPDX-License-Identifier: MIT */
#include <furwock/futex.h>

#include "cond_waits.h"

/* src/thread/cond_wake.c: when a waiter is woken.  What happens to several is in cond_test.c. */

static unsigned wakes_inside; /* how many wakes the signaller had made when it still held m */

/* The variable says that signals are the rule: the next waiter sleeps on a futex of its own. */
enum { SIGNALS = 2 };

static void signal_as(uint32_t tid, bool with_mutex)
{
    uint32_t before = fake_as(tid);

    if (with_mutex)
        fw_mutex_lock(&m);
    fw_cond_signal(&c);
    wakes_inside = fake.wakes;
    if (with_mutex)
        fw_mutex_unlock(&m);
    fake_as(before >> FW_ID_SHIFT);
}

static int signalled_under_the_mutex(struct fake_call *call)
{
    (void)call;
    signal_as(OWNER, true);
    return FAKE_COMPARE;
}

static int signalled_by_a_stranger(struct fake_call *call)
{
    (void)call;
    signal_as(OWNER, false);
    return FAKE_COMPARE;
}

static void wait_once(int (*hook)(struct fake_call *))
{
    fake.on_sleep = hook;
    assert_int_equal(wait_blocking(NULL), 0);
    assert_int_equal(fake.wakes, 1);
    assert_int_equal(c.waiters_, SIGNALS);
    assert_int_equal(m.state_ >> 42, 0);
}

TEST(a_holder_wakes_a_single_sleeper_after_its_release)
{
    c.waiters_ = SIGNALS;
    wait_once(signalled_under_the_mutex);
    assert_int_equal(wakes_inside, 0);
    assert_ptr_not_equal(fake_nth(FAKE_WAKE, 0)->word, &c.seq_);
}

/* A thread that sleeps on the variable must be awake when the signal has returned. */
TEST(one_of_many_is_woken_at_once)
{
    wait_once(signalled_under_the_mutex);
    assert_int_equal(wakes_inside, 1);
    assert_ptr_equal(fake_nth(FAKE_WAKE, 0)->word, &c.seq_);
    assert_int_equal(fake_nth(FAKE_WAKE, 0)->n, FW_FUTEX_ALL);
    assert_int_equal(fake_nth(FAKE_WAKE, 0)->bits & MUTEX_CLASS_ANY, 0);
}

TEST(a_stranger_wakes_a_single_sleeper_at_once)
{
    c.waiters_ = SIGNALS;
    wait_once(signalled_by_a_stranger);
    assert_int_equal(wakes_inside, 1);
}

TEST(a_stale_word_is_put_right)
{
    c.waiters_ = 1;
    fw_cond_signal(&c);
    assert_int_equal(c.waiters_, 0);
    c.waiters_ = 1;
    fw_cond_broadcast(&c);
    assert_int_equal(c.waiters_, 0);
    assert_int_equal(fake.wakes, 0);
}

UNIT_MAIN(reset_cond, NULL)
