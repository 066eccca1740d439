/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include <furwock/futex.h>
#include <furwock/latch.h>

#include "fake.h"
#include "test/support/testing.h"
#include "thread/any_source.h"
#include "thread/latch_word.h"

/* src/thread/latch.c over the fake kernel. */

enum { OTHER = 300 };

static const fw_wait_policy block = {FW_WAIT_BLOCK, 0};
static const fw_wait_policy spin = {FW_WAIT_SPIN, 0};

static fw_latch l;

static int reset(void **state)
{
    (void)state;
    fake_reset();
    l = (fw_latch)FW_LATCH_INIT(1);
    return 0;
}

static void limits(void **state)
{
    (void)state;
    assert_int_equal(fw_latch_init(&l, FW_LATCH_MAX + 1), EINVAL);
    assert_int_equal(l.state_, 1);
    assert_int_equal(fw_latch_init(&l, FW_LATCH_MAX), 0);
    fw_latch_count_down(&l, FW_LATCH_MAX);
    assert_int_equal(fw_latch_trywait(&l), 0);
    assert_int_equal(fw_latch_init(&l, 0), 0);
    assert_int_equal(fw_latch_trywait(&l), 0);
}

static void counts_down_in_steps(void **state)
{
    (void)state;
    fw_latch_init(&l, 5);
    fw_latch_count_down(&l, 0);
    fw_latch_count_down(&l, 3);
    assert_int_equal(fw_latch_trywait(&l), EAGAIN);
    fw_latch_count_down(&l, 1);
    assert_int_equal(fw_latch_trywait(&l), EAGAIN);
    fw_latch_arrive_and_wait(&l, 1);
    assert_int_equal(fw_latch_trywait(&l), 0);
    fw_latch_count_down(&l, 0);
    assert_int_equal(fake.n_calls, 0);
}

static void below_zero_panics(void **state)
{
    (void)state;
    fw_latch_init(&l, 2);
    FAKE_EXPECT_PANIC(fw_latch_count_down(&l, 3));
    assert_ptr_equal(fake.panic_lock, &l);
    assert_int_equal(fake.panic_caller, FAKE_ID(FAKE_SELF));
    fw_latch_init(&l, 0);
    FAKE_EXPECT_PANIC(fw_latch_count_down(&l, 1));
    l.state_ = LATCH_SLEEPERS;
    FAKE_EXPECT_PANIC(fw_latch_count_down(&l, 1));
    fw_latch_init(&l, 7);
    FAKE_EXPECT_PANIC(fw_latch_count_down(&l, UINT32_MAX));
}

/* LA1: a sleeper has announced itself. */
static int other_opens(struct fake_call *call)
{
    assert_ptr_equal(call->word, &l.state_);
    assert_int_equal(call->expected, LATCH_SLEEPERS | 1);
    assert_int_equal(call->flags, FW_FUTEX_PRIVATE);
    fake_as(OTHER);
    fw_latch_count_down(&l, 1);
    return FAKE_COMPARE;
}

static void opening_wakes_all(void **state)
{
    (void)state;
    fake.on_sleep = other_opens;
    assert_int_equal(fw_latch_wait_policy(&l, &block, NULL), 0);
    assert_int_equal(fake.waits, 1);
    assert_int_equal(fake.wakes, 1);
    assert_ptr_equal(fake_nth(FAKE_WAKE, 0)->word, &l.state_);
    assert_int_equal(fake_nth(FAKE_WAKE, 0)->n, FW_FUTEX_ALL);
}

static int other_counts_one(struct fake_call *call)
{
    (void)call;
    fw_latch_count_down(&l, 1);
    assert_int_equal(fake.wakes, latch_is_open(l.state_) ? 1 : 0);
    return FAKE_SPURIOUS;
}

static void counting_without_opening_wakes_nobody(void **state)
{
    (void)state;
    fw_latch_init(&l, 3);
    fake.on_sleep = other_counts_one;
    assert_int_equal(fw_latch_wait_policy(&l, &block, NULL), 0);
    assert_int_equal(fake.waits, 3);
    assert_int_equal(fake.wakes, 1);
}

/* The latch is opened while the waiter is on its way to sleep: the kernel compares. */
static int other_is_quicker(struct fake_call *call)
{
    (void)call;
    fw_latch_count_down(&l, 1);
    return FAKE_COMPARE;
}

static void opened_on_the_way_to_sleep(void **state)
{
    (void)state;
    fake.on_wait = other_is_quicker;
    assert_int_equal(fw_latch_wait_policy(&l, &block, NULL), 0);
    assert_int_equal(fake_nth(FAKE_WAIT, 0)->result, -EAGAIN);
}

static int interrupted_twice(struct fake_call *call)
{
    (void)call;
    if (fake.waits < 3)
        return -EINTR;
    fw_latch_count_down(&l, 1);
    return FAKE_COMPARE;
}

static void interruptions_are_not_seen(void **state)
{
    (void)state;
    fake.on_sleep = interrupted_twice;
    assert_int_equal(fw_latch_wait_policy(&l, &block, NULL), 0);
    assert_int_equal(fake.waits, 3);
}

static void poll_opens(void)
{
    if (fake.pauses == 3)
        fw_latch_count_down(&l, 1);
}

static void polling_spares_the_kernel(void **state)
{
    (void)state;
    fake.on_poll = poll_opens;
    fw_latch_wait(&l);
    assert_int_equal(fake.n_calls, 0);
    assert_int_equal(l.state_, 0);
    fw_latch_init(&l, 1);
    fake.pauses = 0;
    assert_int_equal(fw_latch_wait_policy(&l, &spin, NULL), 0);
    assert_int_equal(fake.n_calls, 0);
}

static void deadlines(void **state)
{
    fw_deadline past = fake_deadline(CLOCK_MONOTONIC, -1);
    fw_deadline soon = fake_deadline(CLOCK_REALTIME, 1000000);
    fw_deadline bad = {{0, 1000000000}, CLOCK_MONOTONIC};
    fw_wait_policy odd = {(fw_wait_kind)9, 0};

    (void)state;
    assert_int_equal(fw_latch_timedwait(&l, &past), ETIMEDOUT);
    assert_int_equal(fake.n_calls, 0);
    assert_int_equal(fw_latch_timedwait(&l, &bad), EINVAL);
    assert_int_equal(fw_latch_wait_policy(&l, &odd, NULL), EINVAL);
    assert_int_equal(fw_latch_timedwait(&l, &soon), ETIMEDOUT);
    assert_true(fake_nth(FAKE_WAIT, 0)->has_deadline);
    assert_int_equal(fw_latch_wait_policy(&l, &spin, &soon), ETIMEDOUT);
    fw_latch_count_down(&l, 1); /* the flag that is left costs a wake, and nothing else */
    assert_int_equal(fake.wakes, 1);
    assert_int_equal(fw_latch_timedwait(&l, &past), 0);
    assert_int_equal(fw_latch_timedwait(&l, &bad), 0);
}

static int opened_and_over(struct fake_call *call)
{
    (void)call;
    fw_latch_count_down(&l, 1);
    return -ETIMEDOUT;
}

static void open_at_the_deadline_is_open(void **state)
{
    fw_deadline soon = fake_deadline(CLOCK_MONOTONIC, 1000000);

    (void)state;
    fake.on_wait = opened_and_over;
    assert_int_equal(fw_latch_wait_policy(&l, &block, &soon), 0);
}

/* LA2: the latch may be gone when the wake comes. */
static void reused(struct fake_call *call)
{
    assert_ptr_equal(call->word, &l.state_);
    l.state_ = 0x5a5a5a5a;
}

static void nothing_is_touched_after_opening(void **state)
{
    (void)state;
    l.state_ = LATCH_SLEEPERS | 1;
    fake.on_wake = reused;
    fw_latch_count_down(&l, 1);
    assert_int_equal(l.state_, 0x5a5a5a5a);
}

static void one_of_several(void **state)
{
    struct fw_any_registration_ p = {.object = &l};
    fw_futex_any sleep;

    (void)state;
    assert_false(fw_latch_source_.try_(&p));
    assert_true(fw_latch_source_.prepare(&p, &sleep));
    assert_ptr_equal(sleep.word, &l.state_);
    assert_int_equal(sleep.expected, LATCH_SLEEPERS | 1);
    fw_latch_source_.leave(&p);
    fw_latch_count_down(&l, 1);
    assert_int_equal(fake.wakes, 1);
    assert_false(fw_latch_source_.prepare(&p, &sleep));
    assert_true(fw_latch_source_.try_(&p));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(limits, reset),
        cmocka_unit_test_setup(counts_down_in_steps, reset),
        cmocka_unit_test_setup(below_zero_panics, reset),
        cmocka_unit_test_setup(opening_wakes_all, reset),
        cmocka_unit_test_setup(counting_without_opening_wakes_nobody, reset),
        cmocka_unit_test_setup(opened_on_the_way_to_sleep, reset),
        cmocka_unit_test_setup(interruptions_are_not_seen, reset),
        cmocka_unit_test_setup(polling_spares_the_kernel, reset),
        cmocka_unit_test_setup(deadlines, reset),
        cmocka_unit_test_setup(open_at_the_deadline_is_open, reset),
        cmocka_unit_test_setup(nothing_is_touched_after_opening, reset),
        cmocka_unit_test_setup(one_of_several, reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
