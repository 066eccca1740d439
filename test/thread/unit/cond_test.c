/* SPDX-License-Identifier: MIT */
#include "cond_waits.h"

/* src/thread/cond.c with the fake kernel: waits, and misuse. */

TEST(nobody_waits_and_nothing_happens)
{
    assert_int_equal(fw_cond_signal(&c), 0);
    assert_int_equal(fw_cond_broadcast(&c), 0);
    assert_int_equal(fake.n_calls, 0);
}

static int signalled(struct fake_call *call)
{
    assert_ptr_equal(call->word, &c.seq_);
    assert_int_equal(call->expected, c.seq_);
    assert_int_equal(call->bits & MUTEX_CLASS_ANY, MUTEX_CLASS_NEW);
    assert_word(&m, 0); /* the mutex was released */
    WITH_MUTEX(fw_cond_signal(&c));
    return FAKE_COMPARE;
}

static void signalled_while_polling(void)
{
    fake.on_poll = NULL;
    WITH_MUTEX(fw_cond_signal(&c));
}

/* With the default policy. */
static void wait_once(void)
{
    fw_mutex_lock(&m);
    fw_cond_wait(&c, &m);
    fw_mutex_unlock(&m);
}

TEST(what_polling_was_good_for_is_learnt)
{
    fake.polling_pays = true;
    fake.pause_ns = 50;
    fake.on_poll = signalled_while_polling;
    wait_once();
    assert_int_equal(fake.waits + fake.wakes, 0);
    assert_true(fake.polling_found);
}

TEST(polling_that_does_not_pay_is_left_out)
{
    fake.on_sleep = signalled;
    wait_once();
    assert_int_equal(fake.pauses, 0);
    assert_int_equal(fake.cancel_points, 1);
}

/* --- Misuse -------------------------------------------------------------------------------- */

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
    (void)call;
    AS(OTHER, fw_mutex_init(&second_mutex); fw_mutex_lock(&second_mutex);
       FAKE_EXPECT_PANIC(fw_cond_wait(&c, &second_mutex)));
    fake.n_sleepers = 1;
    WITH_MUTEX(fw_cond_signal(&c));
    return FAKE_COMPARE;
}

TEST(two_mutexes_stop_the_program)
{
    fake.on_sleep = another_waits_with_another_mutex;
    assert_int_equal(wait_blocking(NULL), 0);
    assert_string_equal(fake.panic_what, "condition variable used with two mutexes");
}

UNIT_MAIN(reset_cond, NULL)
