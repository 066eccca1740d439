/* SPDX-License-Identifier: MIT */
#include <furwock/cond.h>
#include <furwock/futex.h>

#include "mutex_words.h"

/* src/cond_wake.c: when a waiter is woken.  What happens to several is in cond_test.c. */

static fw_mutex m;
static fw_cond c;
static unsigned wakes_inside; /* how many wakes the signaller had made when it still held m */

static int reset(void **state)
{
    fw_mutex_init(&m);
    fw_cond_init(&c);
    return reset_fake(state);
}

#define wake_test(f) cmocka_unit_test_setup(f, reset)

static int signalled_under_the_mutex(struct fake_call *call)
{
    uint32_t before = fake_as(OWNER);

    fw_mutex_lock(&m);
    fw_cond_signal(&c);
    wakes_inside = fake.wakes;
    fw_mutex_unlock(&m);
    fake_as(before >> FW_ID_SHIFT);
    assert_int_not_equal(fake_nth(FAKE_WAKE, 0)->bits & call->bits, 0);
    return FAKE_COMPARE;
}

static int signalled_by_a_stranger(struct fake_call *call)
{
    uint32_t before = fake_as(OWNER);

    (void)call;
    fw_cond_signal(&c);
    wakes_inside = fake.wakes;
    fake_as(before >> FW_ID_SHIFT);
    return FAKE_COMPARE;
}

static void wait_once(int (*hook)(struct fake_call *))
{
    fake.on_sleep = hook;
    fw_mutex_lock(&m);
    assert_int_equal(fw_cond_wait_policy(&c, &m, &block, NULL), 0);
    fw_mutex_unlock(&m);
    assert_int_equal(fake.wakes, 1);
    assert_int_equal(c.waiters_, 0);
    assert_int_equal(m.state_ >> 42, 0);
}

static void a_holder_wakes_the_only_waiter_after_its_release(void **state)
{
    (void)state;
    wait_once(signalled_under_the_mutex);
    assert_int_equal(wakes_inside, 0);
}

static void a_stranger_wakes_it_at_once(void **state)
{
    (void)state;
    wait_once(signalled_by_a_stranger);
    assert_int_equal(wakes_inside, 1);
}

static void a_stale_word_is_put_right(void **state)
{
    (void)state;
    c.waiters_ = 1;
    fw_cond_signal(&c);
    assert_int_equal(c.waiters_, 0);
    c.waiters_ = 1;
    fw_cond_broadcast(&c);
    assert_int_equal(c.waiters_, 0);
    assert_int_equal(fake.wakes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        wake_test(a_holder_wakes_the_only_waiter_after_its_release),
        wake_test(a_stranger_wakes_it_at_once),
        wake_test(a_stale_word_is_put_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
