/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "fake.h"
#include "sem_word.h"
#include "test/support/testing.h"

/* posix/sem_shared.c with the fake kernel: the C library's protocol, step by step. */

static struct fw_posix_sem_ s;
static jmp_buf unwound;

#define assert_state(expected) assert_int_equal(s.state, expected)

static int reset(void **state)
{
    (void)state;
    memset(&s, 0, sizeof s);
    s.shared = FW_SEM_SHARED_;
    s.luck = 1000; /* no polling */
    fake_reset();
    return 0;
}

static void assert_shared_wake(unsigned nth)
{
    const struct fake_call *wake = fake_nth(FAKE_WAKE, nth);

    assert_non_null(wake);
    assert_ptr_equal(wake->word, &s.state);
    assert_int_equal(wake->n, 1);
    assert_int_equal(wake->flags, FW_FUTEX_SHARED);
}

static void units_come_and_go(void **state)
{
    (void)state;
    assert_false(fw_sem_shared_take_(&s));
    assert_true(fw_sem_shared_post_(&s));
    assert_true(fw_sem_shared_post_(&s));
    assert_state(2);
    assert_int_equal(s.guess, 2);
    assert_true(fw_sem_shared_take_(&s));
    assert_int_equal(fw_sem_shared_wait_(&s, NULL), 0);
    assert_state(0);
    assert_int_equal(fake.n_calls, 0);
}

static void the_maximum_stays(void **state)
{
    (void)state;
    s.state = FW_SEM_VALUE_MAX_ + 3 * SHARED_WAITER_;
    assert_false(fw_sem_shared_post_(&s));
    assert_state(FW_SEM_VALUE_MAX_ + 3 * SHARED_WAITER_);
    assert_int_equal(fake.wakes, 0);
}

static void a_foreign_change_is_noticed(void **state)
{
    (void)state;
    s.state = 5;
    s.guess = 3; /* a process without this library does not keep it */
    assert_false(fw_posix_sem_take_(&s));
    assert_true(fw_sem_shared_take_(&s));
    assert_state(4);
    assert_true(fw_posix_sem_add_(&s));
    assert_true(fw_posix_sem_take_(&s));
    s.guess = 9;
    assert_false(fw_posix_sem_add_(&s));
    assert_true(fw_sem_shared_post_(&s));
    assert_state(5);
}

static int posted_on_the_way(struct fake_call *call)
{
    (void)call;
    assert_true(fw_sem_shared_post_(&s));
    return FAKE_COMPARE;
}

static void a_post_before_the_sleep_is_not_missed(void **state)
{
    (void)state;
    fake.on_wait = posted_on_the_way;
    assert_int_equal(fw_sem_shared_wait_(&s, NULL), 0);
    assert_state(0);
    assert_int_equal(fake_nth(FAKE_WAIT, 0)->result, -EAGAIN);
}

static int interrupted(struct fake_call *call)
{
    (void)call;
    return -EINTR;
}

static void time_and_signals_end_the_wait(void **state)
{
    fw_deadline d = fake_deadline(CLOCK_MONOTONIC, 1000);

    (void)state;
    assert_int_equal(fw_sem_shared_wait_(&s, &d), ETIMEDOUT);
    assert_state(0);
    assert_int_equal(fw_sem_shared_wait_(&s, &d), ETIMEDOUT); /* passed: not counted at all */
    assert_int_equal(fake.waits, 1);
    fake.on_sleep = interrupted;
    assert_int_equal(fw_sem_shared_wait_(&s, NULL), EINTR);
    assert_state(0);
}

static int cancelled_as_it_is_woken(struct fake_call *call)
{
    (void)call;
    s.state += SHARED_WAITER_; /* somebody else sleeps here, too */
    assert_true(fw_sem_shared_post_(&s));
    fake.on_cancel(fake.cancel_arg);
    fake.n_sleepers = 0;
    longjmp(unwound, 1);
}

static void who_is_cancelled_passes_the_wake_on(void **state)
{
    (void)state;
    fake.on_sleep = cancelled_as_it_is_woken;
    if (setjmp(unwound) == 0) {
        fw_sem_shared_wait_(&s, NULL);
        fail_msg("it came back");
    }
    assert_state(1 + SHARED_WAITER_);
    assert_int_equal(fake.wakes, 2);
    assert_shared_wake(1);
}

static void post_at_the_third_poll(void)
{
    if (fake.pauses == 3)
        assert_true(fw_sem_shared_post_(&s));
}

static void polling_saves_the_sleep(void **state)
{
    (void)state;
    s.luck = 0;
    fake.on_poll = post_at_the_third_poll;
    assert_int_equal(fw_sem_shared_wait_(&s, NULL), 0);
    assert_int_equal(fake.n_calls, 0);
    assert_int_equal(s.luck, 0);
    assert_state(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(units_come_and_go, reset),
        cmocka_unit_test_setup(the_maximum_stays, reset),
        cmocka_unit_test_setup(a_foreign_change_is_noticed, reset),
        cmocka_unit_test_setup(a_post_before_the_sleep_is_not_missed, reset),
        cmocka_unit_test_setup(time_and_signals_end_the_wait, reset),
        cmocka_unit_test_setup(who_is_cancelled_passes_the_wake_on, reset),
        cmocka_unit_test_setup(polling_saves_the_sleep, reset),
    };
    return cmocka_run_group_tests_name("shared semaphores", tests, NULL, NULL);
}
