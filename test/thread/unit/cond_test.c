/* SPDX-License-Identifier: MIT */
#include <furwock/futex.h>

#include "cond_waits.h"

/* src/thread/cond.c and cond_wake.c with the fake kernel: waits, when one is woken, and misuse. */

TEST(nobody_waits_and_nothing_happens)
{
    fw_cond_signal(&c);
    fw_cond_broadcast(&c);
    assert_int_equal(fake.n_calls, 0);
}

static int signalled(struct fake_call *call)
{
    assert_ptr_equal(call->word, &c.seq_);
    assert_int_equal(call->expected, c.seq_);
    assert_int_equal(call->bits & MUTEX_CLASS_ANY, MUTEX_CLASS_NEW);
    assert_word(&m, 0); /* the mutex was released */
    with_mutex(fw_cond_signal);
    return FAKE_COMPARE;
}

TEST(a_signal_wakes_the_waiter)
{
    fake.on_sleep = signalled;
    assert_int_equal(wait_blocking(NULL), 0);
    assert_int_equal(fake.waits, 1);
    assert_int_equal(fake.wakes, 1);
    assert_int_equal(c.waiters_ & 1u, 0);
    assert_int_equal(fake.cancel_points, 1);
}

enum { URGENCY = 20 };

static int an_equal_one_comes(struct fake_call *call)
{
    (void)call;
    if (fake.waits == 1) {
        another_waits(NULL);
        return FAKE_COMPARE;
    }
    without_mutex(fw_cond_signal);
    assert_true(fake.sleepers[0].woken);
    assert_false(fake.sleepers[1].woken);
    without_mutex(fw_cond_signal);
    return FAKE_COMPARE;
}

TEST(among_equals_the_first_to_come_is)
{
    c.waiters_ = 2; /* they sleep singly */
    fake.urgency = URGENCY;
    fake.on_sleep = an_equal_one_comes;
    assert_int_equal(wait_blocking(NULL), 0);
    assert_int_equal(inner_result, 0);
}

static void signalled_while_polling(void)
{
    fake.on_poll = NULL;
    with_mutex(fw_cond_signal);
}

TEST(a_waiter_that_polls_costs_no_system_call)
{
    fake.polling_pays = true;
    fake.pause_ns = 50;
    fake.on_poll = signalled_while_polling;
    fw_mutex_lock(&m);
    fw_cond_wait(&c, &m);
    fw_mutex_unlock(&m);
    assert_int_equal(fake.waits + fake.wakes, 0);
    assert_true(fake.polling_found);
}

TEST(polling_that_does_not_pay_is_left_out)
{
    fake.on_sleep = signalled;
    fw_mutex_lock(&m);
    fw_cond_wait(&c, &m);
    fw_mutex_unlock(&m);
    assert_int_equal(fake.pauses, 0);
}

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

UNIT_MAIN(reset_cond, NULL)
