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

/* The second one is more urgent; it may have found out just now. */
static int a_more_urgent_one_comes(struct fake_call *call)
{
    (void)call;
    if (fake.waits > 1) {
        without_mutex(fw_cond_signal);
        return FAKE_COMPARE;
    }
    fake.urgency = URGENCY;
    another_waits(NULL);
    assert_int_equal(inner_result, 0);
    fake.urgency = 0;
    without_mutex(fw_cond_signal);
    return FAKE_COMPARE;
}

static void the_most_urgent_is_woken_first(void **state)
{
    (void)state;
    fake.on_sleep = a_more_urgent_one_comes;
    assert_int_equal(wait_blocking(NULL), 0);
}

static void one_that_has_become_urgent_is_too(void **state)
{
    (void)state;
    fake.urgency_known = 0;
    fake.on_sleep = a_more_urgent_one_comes;
    assert_int_equal(wait_blocking(NULL), 0);
}

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

static int broadcast_to_one(struct fake_call *call)
{
    (void)call;
    with_mutex(fw_cond_broadcast);
    return FAKE_COMPARE;
}

static void a_broadcast_to_one_is_a_signal(void **state)
{
    (void)state;
    fake.on_sleep = broadcast_to_one;
    assert_int_equal(wait_blocking(NULL), 0);
    assert_int_equal(fake.wakes, 1);
    assert_int_equal(fake.requeues, 0);
}

static int signalled_on_the_way(struct fake_call *call)
{
    (void)call;
    if (fake.waits == 1)
        without_mutex(fw_cond_signal);
    return FAKE_COMPARE;
}

static void a_signal_on_the_way_to_sleep_is_not_missed(void **state)
{
    (void)state;
    fake.on_wait = signalled_on_the_way;
    assert_int_equal(wait_blocking(NULL), 0);
    assert_int_equal(fake_nth(FAKE_WAIT, 0)->result, -EAGAIN);
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

static int all_are_leaving(struct fake_call *call)
{
    fw_deadline soon = fake_deadline(CLOCK_MONOTONIC, 1000);

    (void)call;
    if (fake.waits == 1) {
        another_waits(&soon);
        return FAKE_COMPARE;
    }
    /* Both are out of the kernel when the signal comes: no wake reaches anybody. */
    fake.sleepers[0].word = NULL;
    fake.sleepers[1].word = NULL;
    with_mutex(fw_cond_signal);
    fake.sleepers[0].woken = true; /* so that the fake lets it go */
    return -ETIMEDOUT;
}

static void a_signal_that_reaches_no_sleeper_is_the_oldests(void **state)
{
    (void)state;
    fake.on_sleep = all_are_leaving;
    assert_int_equal(wait_blocking(NULL), 0);
    assert_int_equal(inner_result, ETIMEDOUT);
    assert_int_equal(c.waiters_ & 1u, 0);
}

static int woken_in_vain_at_first(struct fake_call *call)
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
    fake.on_sleep = woken_in_vain_at_first;
    assert_int_equal(wait_blocking(NULL), 0);
    assert_int_equal(fake.waits, 2);
    c.waiters_ = 2; /* the same for one who sleeps singly */
    fake.waits = 0;
    assert_int_equal(wait_blocking(NULL), 0);
    assert_int_equal(fake.waits, 2);
}

static void (*broadcaster)(void (*call)(fw_cond *));

static int second_sleeps_and_all_are_woken(struct fake_call *call)
{
    (void)call;
    if (fake.waits == 1) {
        another_waits(NULL);
    } else {
        broadcaster(fw_cond_broadcast);
        /* In the fake the inner waiter has to run first. */
        fake.sleepers[1].woken = true;
    }
    return FAKE_COMPARE;
}

static void a_broadcast_with_the_mutex_moves_all(void **state)
{
    const struct fake_call *moved;

    (void)state;
    broadcaster = with_mutex;
    fake.on_sleep = second_sleeps_and_all_are_woken;
    assert_int_equal(wait_blocking(NULL), 0);
    assert_int_equal(inner_result, 0);
    assert_int_equal(fake.requeues, 1);
    moved = fake_nth(FAKE_CMP_REQUEUE, 0);
    assert_ptr_equal(moved->word, &c.seq_);
    assert_ptr_equal(moved->to, waiters_word(&m));
    assert_int_equal(moved->n, 0); /* nobody is woken: the mutex is held */
    assert_int_equal(moved->n_move, FW_FUTEX_ALL);
    assert_int_equal(moved->result, 2);
    assert_int_equal(fake.fences, 0); /* the holder needs none */
    assert_int_equal(m.state_ >> 42, 0);
}

static void a_broadcast_without_the_mutex_wakes_one_and_moves_the_others(void **state)
{
    const struct fake_call *moved;

    (void)state;
    broadcaster = without_mutex;
    fake.on_sleep = second_sleeps_and_all_are_woken;
    assert_int_equal(wait_blocking(NULL), 0);
    moved = fake_nth(FAKE_CMP_REQUEUE, 0);
    assert_int_equal(moved->n, 1);
    assert_int_equal(moved->result, 2);
    assert_int_equal(m.state_ >> 42, 0);
}

/* --- time ----------------------------------------------------------------------------------- */

static void a_deadline_ends_the_wait(void **state)
{
    fw_deadline soon = fake_deadline(CLOCK_REALTIME, 5000);

    (void)state;
    assert_int_equal(wait_blocking(&soon), ETIMEDOUT);
    assert_int_equal(c.waiters_, 0);
}

static int signalled_too_late_for_the_kernel(struct fake_call *call)
{
    (void)call;
    fake.sleepers[0].word = NULL; /* the time-out has taken it out of the queue already */
    with_mutex(fw_cond_signal);
    return -ETIMEDOUT;
}

static void a_time_out_does_not_swallow_a_signal(void **state)
{
    fw_deadline soon = fake_deadline(CLOCK_MONOTONIC, 5000);

    (void)state;
    fake.on_sleep = signalled_too_late_for_the_kernel;
    assert_int_equal(wait_blocking(&soon), 0);
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
        cond_test(the_most_urgent_is_woken_first),
        cond_test(one_that_has_become_urgent_is_too),
        cond_test(among_equals_the_first_to_come_is),
        cond_test(a_broadcast_to_one_is_a_signal),
        cond_test(a_signal_on_the_way_to_sleep_is_not_missed),
        cond_test(a_waiter_that_polls_costs_no_system_call),
        cond_test(polling_that_does_not_pay_is_left_out),
        cond_test(two_signals_wake_two),
        cond_test(one_signal_wakes_the_first_and_the_second_times_out),
        cond_test(a_signal_that_reaches_no_sleeper_is_the_oldests),
        cond_test(a_wake_without_a_mark_is_slept_through),
        cond_test(a_broadcast_with_the_mutex_moves_all),
        cond_test(a_broadcast_without_the_mutex_wakes_one_and_moves_the_others),
        cond_test(a_deadline_ends_the_wait),
        cond_test(a_time_out_does_not_swallow_a_signal),
        cond_test(an_interrupted_wait_goes_on),
        cond_test(a_bad_deadline_is_refused_and_the_mutex_kept),
        cond_test(a_policy_that_never_sleeps_polls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
