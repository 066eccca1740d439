/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include <furwock/futex.h>

#include "cond_waits.h"

/* src/thread/cond.c with the fake kernel: waiting, signals, broadcasts, time-outs. */

static void nobody_waits_and_nothing_happens(void **state)
{
    (void)state;
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

static void a_signal_wakes_the_waiter(void **state)
{
    (void)state;
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

static void among_equals_the_first_to_come_is(void **state)
{
    (void)state;
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

static void a_waiter_that_polls_costs_no_system_call(void **state)
{
    (void)state;
    fake.polling_pays = true;
    fake.pause_ns = 50;
    fake.on_poll = signalled_while_polling;
    fw_mutex_lock(&m);
    fw_cond_wait(&c, &m);
    fw_mutex_unlock(&m);
    assert_int_equal(fake.waits + fake.wakes, 0);
    assert_true(fake.polling_found);
}

static void polling_that_does_not_pay_is_left_out(void **state)
{
    (void)state;
    fake.on_sleep = signalled;
    fw_mutex_lock(&m);
    fw_cond_wait(&c, &m);
    fw_mutex_unlock(&m);
    assert_int_equal(fake.pauses, 0);
}

/* --- several waiters ------------------------------------------------------------------------ */

/* Signals that arrive while two sleep: the first, then the one behind. */
static int second_sleeps_and_two_are_signalled(struct fake_call *call)
{
    (void)call;
    if (fake.waits == 1) {
        another_waits(NULL);
    } else {
        with_mutex(fw_cond_signal); /* the kernel wakes the first */
        with_mutex(fw_cond_signal); /* and the second */
    }
    return FAKE_COMPARE;
}

static void two_signals_wake_two(void **state)
{
    (void)state;
    fake.on_sleep = second_sleeps_and_two_are_signalled;
    assert_int_equal(wait_blocking(NULL), 0);
    assert_int_equal(inner_result, 0);
    assert_int_equal(fake.wakes, 2);
    assert_word(&m, 0);
}

static int second_sleeps_and_one_is_signalled(struct fake_call *call)
{
    fw_deadline soon = fake_deadline(CLOCK_MONOTONIC, 1000);

    (void)call;
    if (fake.waits == 1)
        another_waits(&soon);
    else
        with_mutex(fw_cond_signal);
    return FAKE_COMPARE;
}

static void one_signal_wakes_the_first_and_the_second_times_out(void **state)
{
    (void)state;
    fake.on_sleep = second_sleeps_and_one_is_signalled;
    assert_int_equal(wait_blocking(NULL), 0);
    assert_int_equal(inner_result, ETIMEDOUT);
}

static int woken_needlessly_at_first(struct fake_call *call)
{
    (void)call;
    if (fake.waits == 1)
        return FAKE_SPURIOUS;
    with_mutex(fw_cond_signal);
    return FAKE_COMPARE;
}

static void a_wake_without_a_mark_is_slept_through(void **state)
{
    (void)state;
    fake.on_sleep = woken_needlessly_at_first;
    assert_int_equal(wait_blocking(NULL), 0);
    assert_int_equal(fake.waits, 2);
    c.waiters_ = 2; /* the same for one that sleeps on a futex of its own */
    fake.waits = 0;
    assert_int_equal(wait_blocking(NULL), 0);
    assert_int_equal(fake.waits, 2);
}

/* --- time ----------------------------------------------------------------------------------- */

static void a_deadline_ends_the_wait(void **state)
{
    fw_deadline soon = fake_deadline(CLOCK_REALTIME, 5000);

    (void)state;
    assert_int_equal(wait_blocking(&soon), ETIMEDOUT);
    assert_int_equal(c.waiters_, 0);
}

static int interrupted_once(struct fake_call *call)
{
    (void)call;
    if (fake.waits == 1)
        return -EINTR;
    with_mutex(fw_cond_signal);
    return FAKE_COMPARE;
}

static void an_interrupted_wait_goes_on(void **state)
{
    (void)state;
    fake.on_sleep = interrupted_once;
    assert_int_equal(wait_blocking(NULL), 0);
    assert_int_equal(fake.waits, 2);
}

static void a_bad_deadline_is_refused_and_the_mutex_kept(void **state)
{
    fw_deadline bad = {.at = {1, 1000000000}, .clock = CLOCK_MONOTONIC};

    (void)state;
    fw_mutex_lock(&m);
    assert_int_equal(fw_cond_timedwait(&c, &m, &bad), EINVAL);
    assert_int_equal(fw_mutex_owner(&m), FAKE_SELF);
    fw_mutex_unlock(&m);
}

static void a_policy_that_never_sleeps_polls(void **state)
{
    static const fw_wait_policy spin = {FW_WAIT_SPIN, 0};
    fw_deadline later = fake_deadline(CLOCK_MONOTONIC, 2000000);

    (void)state;
    fake.pause_ns = 1000;
    fw_mutex_lock(&m);
    assert_int_equal(fw_cond_wait_policy(&c, &m, &spin, &later), ETIMEDOUT);
    fw_mutex_unlock(&m);
    assert_int_equal(fake.waits, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cond_test(nobody_waits_and_nothing_happens),
        cond_test(a_signal_wakes_the_waiter),
        cond_test(among_equals_the_first_to_come_is),
        cond_test(a_waiter_that_polls_costs_no_system_call),
        cond_test(polling_that_does_not_pay_is_left_out),
        cond_test(two_signals_wake_two),
        cond_test(one_signal_wakes_the_first_and_the_second_times_out),
        cond_test(a_wake_without_a_mark_is_slept_through),
        cond_test(a_deadline_ends_the_wait),
        cond_test(an_interrupted_wait_goes_on),
        cond_test(a_bad_deadline_is_refused_and_the_mutex_kept),
        cond_test(a_policy_that_never_sleeps_polls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
