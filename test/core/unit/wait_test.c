/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdbool.h>

#include <furwock/futex.h>

#include "core/wait.h"
#include "fake.h"
#include "sys/clock.h"
#include "test/support/unit.h"

/* src/core/wait.c: the policies, their budgets, and sleeping. */

static int reset(void)
{
    static const fw_wait_policy built_in = {FW_WAIT_DEFAULT, 0};

    fake_reset();
    return fw_wait_set_default(&built_in);
}

TEST(the_built_in_default_asks_and_spins_a_little)
{
    fw_wait_policy p = fw_wait_get_default();

    assert_int_equal(p.kind, FW_WAIT_ADAPTIVE);
    assert_true(p.spin_ns > 0 && p.spin_ns <= 100000);
}

TEST(the_default_can_be_set_and_restored)
{
    static const fw_wait_policy policies[] = {{FW_WAIT_BLOCK, 0},
                                              {FW_WAIT_SPIN_THEN_BLOCK, 0},
                                              {FW_WAIT_SPIN_THEN_BLOCK, FW_WAIT_SPIN_MAX_NS},
                                              {FW_WAIT_SPIN, 0},
                                              {FW_WAIT_YIELD, 0},
                                              {FW_WAIT_ADAPTIVE, 0},
                                              {FW_WAIT_ADAPTIVE, FW_WAIT_SPIN_MAX_NS}};
    fw_wait_policy built_in = fw_wait_get_default(), restore = {FW_WAIT_DEFAULT, 12345}, now;

    for (unsigned i = 0; i < 7; i++) {
        assert_int_equal(fw_wait_set_default(&policies[i]), 0);
        now = fw_wait_get_default();
        assert_int_equal(now.kind, policies[i].kind);
        assert_int_equal(now.spin_ns, policies[i].spin_ns);
    }
    assert_int_equal(fw_wait_set_default(&restore), 0);
    now = fw_wait_get_default();
    assert_int_equal(now.kind, built_in.kind);
    assert_int_equal(now.spin_ns, built_in.spin_ns);
}

static const fw_wait_policy bad_policies[] = {{(fw_wait_kind)6, 0},
                                              {(fw_wait_kind)-1, 0},
                                              {FW_WAIT_SPIN_THEN_BLOCK, FW_WAIT_SPIN_MAX_NS + 1},
                                              {FW_WAIT_ADAPTIVE, FW_WAIT_SPIN_MAX_NS + 1}};

TEST(a_bad_default_changes_nothing)
{
    static const fw_wait_policy mine = {FW_WAIT_SPIN_THEN_BLOCK, 777};

    fw_wait_set_default(&mine);
    assert_int_equal(fw_wait_set_default(NULL), EINVAL);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(fw_wait_set_default(&bad_policies[i]), EINVAL);
    assert_int_equal(fw_wait_get_default().kind, FW_WAIT_SPIN_THEN_BLOCK);
    assert_int_equal(fw_wait_get_default().spin_ns, 777);
}

TEST(begin_checks_policy_and_deadline)
{
    static const fw_deadline bad_deadlines[] = {
        {{0, -1}, CLOCK_MONOTONIC}, {{0, 1000000000}, CLOCK_MONOTONIC}, {{0, 0}, CLOCK_TAI}};
    static const fw_deadline good_deadlines[] = {{{0, 0}, CLOCK_MONOTONIC},
                                                 {{-3, 999999999}, CLOCK_REALTIME}};
    struct fw_wait_ w;

    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(fw_wait_begin_(&w, &bad_policies[i], NULL), EINVAL);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(fw_wait_begin_(&w, NULL, &bad_deadlines[i]), EINVAL);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(fw_wait_begin_(&w, NULL, &good_deadlines[i]), 0);
    assert_int_equal(fw_wait_begin_(&w, NULL, NULL), 0);
}

static struct fw_wait_ begun(fw_wait_kind kind, uint32_t spin_ns, const fw_deadline *deadline)
{
    fw_wait_policy p = {kind, spin_ns};
    struct fw_wait_ w;

    assert_int_equal(fw_wait_begin_(&w, &p, deadline), 0);
    return w;
}

/* Polls until the budget is used up; answers how long that took. */
static uint64_t poll_out(struct fw_wait_ *w)
{
    uint64_t start = fake.now_ns;

    for (int i = 0; fw_wait_spin_(w); i++)
        assert_true(i < 1000000);
    return fake.now_ns - start;
}

TEST(blocking_never_polls)
{
    struct fw_wait_ w = begun(FW_WAIT_BLOCK, 12345, NULL);

    assert_true(fw_wait_blocks_(&w));
    assert_false(fw_wait_spin_(&w));
    assert_int_equal(fake.pauses + fake.yields + fake.clock_looks, 0);
}

TEST(budgets_are_kept_and_renewed)
{
    struct fw_wait_ w = begun(FW_WAIT_SPIN_THEN_BLOCK, 3000, NULL);

    fake.pause_ns = 100;
    assert_true(fw_wait_blocks_(&w));
    for (int round = 0; round < 3; round++) {
        uint64_t ns = poll_out(&w);

        assert_true(ns >= 3000 && ns <= 3300);
        assert_false(fw_wait_spin_(&w));
        fw_wait_again_(&w);
    }
    assert_int_equal(fake.yields, 0);
    w = begun(FW_WAIT_SPIN_THEN_BLOCK, 0, NULL);
    assert_false(fw_wait_spin_(&w));
}

TEST(the_default_policy_is_read_when_a_wait_begins)
{
    static const fw_wait_policy longer = {FW_WAIT_SPIN_THEN_BLOCK, 50000},
                                other = {FW_WAIT_BLOCK, 0};
    struct fw_wait_ by_null, by_kind = begun(FW_WAIT_DEFAULT, 1, NULL);

    fw_wait_set_default(&longer);
    assert_int_equal(fw_wait_begin_(&by_null, NULL, NULL), 0);
    by_kind = begun(FW_WAIT_DEFAULT, 1, NULL);
    fw_wait_set_default(&other);
    assert_true(poll_out(&by_null) >= 50000);
    assert_true(poll_out(&by_kind) >= 50000);
}

TEST(spinners_and_yielders_do_not_block)
{
    uint32_t word = 0;
    fw_deadline d = fake_deadline(CLOCK_REALTIME, 5000);
    struct fw_wait_ spin = begun(FW_WAIT_SPIN, 0, NULL), yield = begun(FW_WAIT_YIELD, 0, &d);
    int polls = 0;

    assert_false(fw_wait_blocks_(&spin));
    assert_false(fw_wait_blocks_(&yield));
    assert_int_equal(fw_wait_sleep_(&spin, &word, 0, 1, 0), 0);
    assert_int_equal(fake.pauses, 1);
    while (fw_wait_sleep_(&yield, &word, 0, 1, 0) == 0)
        assert_true(++polls < 100);
    assert_int_equal(fake.yields, 5); /* of 1 us each */
    assert_int_equal(fake.waits, 0);
}

TEST(polling_ends_with_the_deadline)
{
    fw_deadline d = fake_deadline(CLOCK_MONOTONIC, 2000);
    struct fw_wait_ w = begun(FW_WAIT_SPIN_THEN_BLOCK, 1000000, &d);

    assert_true(poll_out(&w) <= 2500);
    assert_true(fw_wait_is_over_(&w));
}

TEST(deadlines_are_compared_to_the_nanosecond)
{
    static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME};

    for (int i = 0; i < 2; i++) {
        fw_deadline d = fake_deadline(clocks[i], 1500000000);
        struct fw_wait_ w = begun(FW_WAIT_BLOCK, 0, &d);

        fake.now_ns += 1499999999;
        assert_false(fw_wait_is_over_(&w));
        fake.now_ns += 1;
        assert_true(fw_wait_is_over_(&w));
        d.at.tv_sec = -1;
        assert_true(fw_wait_is_over_(&w));
        w.deadline = NULL;
        assert_false(fw_wait_is_over_(&w));
    }
}

static int scripted;

static int answer(struct fake_call *call)
{
    assert_int_equal(call->bits, 0x40);
    assert_int_equal(call->flags, FW_FUTEX_PRIVATE);
    return scripted;
}

TEST(sleep_answers_what_the_kernel_does)
{
    static const int answers[] = {0, -EINTR, -EAGAIN, -ETIMEDOUT};
    static const int impossible[] = {-EFAULT, -EINVAL, -ENOSYS};
    uint32_t word = 3;
    struct fw_wait_ w = begun(FW_WAIT_BLOCK, 0, NULL);

    fake.on_wait = answer;
    for (unsigned i = 0; i < 4; i++) {
        scripted = answers[i];
        assert_int_equal(fw_wait_sleep_(&w, &word, 3, 0x40, 0), answers[i]);
    }
    for (volatile unsigned i = 0; i < 3; i++) {
        scripted = impossible[i];
        FAKE_EXPECT_PANIC(fw_wait_sleep_(&w, &word, 3, 0x40, 0));
        assert_int_equal(fake.panic_error, -scripted);
    }
    fake.on_wait = NULL;
    assert_int_equal(fw_wait_sleep_(&w, &word, 4, 0x40, 0), -EAGAIN);
}

TEST(slices_end_like_spurious_wakes)
{
    static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME};
    uint32_t word = 3;
    struct fw_wait_ w = begun(FW_WAIT_BLOCK, 0, NULL);
    uint64_t start = fake.now_ns;

    assert_int_equal(fw_wait_sleep_(&w, &word, 3, 1, 1000000), 0);
    assert_int_equal(fake.now_ns - start, 1000000);
    for (unsigned i = 0; i < 2; i++) {
        fw_deadline soon = fake_deadline(clocks[i], 1500000);

        fake.now_ns += 123;
        start = fake.now_ns - 123;
        w = begun(FW_WAIT_BLOCK, 0, &soon);
        assert_int_equal(fw_wait_sleep_(&w, &word, 3, 1, 1000000), 0);
        assert_int_equal(fake.now_ns - start, 1000123);
        assert_int_equal(fw_wait_sleep_(&w, &word, 3, 1, 1000000), -ETIMEDOUT);
        assert_int_equal(fake.now_ns - start, 1500000); /* the deadline ends the slice */
        assert_int_equal(fw_wait_sleep_(&w, &word, 4, 1, 1000000), -EAGAIN);
    }
}

/* A slice that begins in one second and ends in the next. */
TEST(slices_cross_the_second)
{
    uint32_t word = 3;
    struct fw_wait_ w = begun(FW_WAIT_BLOCK, 0, NULL);

    for (unsigned i = 0; i < 3; i++) {
        uint64_t start = UINT64_C(7000000000) - 1000000 - 1 + i;

        fake.now_ns = start;
        assert_int_equal(fw_wait_sleep_(&w, &word, 3, 1, 1000000), 0);
        assert_int_equal(fake.now_ns - start, 1000000);
    }
}

#define HOUR_NS INT64_C(3600000000000)

/* Somebody sets CLOCK_REALTIME by an hour while a thread sleeps for a slice. */
TEST(slices_do_not_mind_a_clock_that_is_set)
{
    static const int64_t steps[] = {-HOUR_NS, HOUR_NS};
    uint32_t word = 3;

    for (unsigned i = 0; i < 2; i++) {
        fw_deadline later = fake_deadline(CLOCK_REALTIME, HOUR_NS / 2);
        struct fw_wait_ w = begun(FW_WAIT_BLOCK, 0, &later);
        uint64_t start = fake.now_ns;

        fake.set_real_by_ns = steps[i];
        assert_int_equal(fw_wait_sleep_(&w, &word, 3, 1, 50000), steps[i] < 0 ? 0 : -ETIMEDOUT);
        assert_int_equal(fake.now_ns - start, 50000);
    }
}

/* The deadline is nearer than the end of the slice, and is moved away. */
TEST(a_short_slice_does_not_grow_either)
{
    fw_deadline soon = fake_deadline(CLOCK_REALTIME, 20000);
    struct fw_wait_ w = begun(FW_WAIT_BLOCK, 0, &soon);
    uint64_t start = fake.now_ns;
    uint32_t word = 3;

    fake.set_real_by_ns = -HOUR_NS;
    assert_int_equal(fw_wait_sleep_(&w, &word, 3, 1, 50000), 0);
    assert_int_equal(fake.now_ns - start, 20000);
}

TEST(what_is_left_does_not_overflow)
{
    static const time_t extremes[] = {INT64_MIN, INT64_MIN + 1, -1, 0, INT64_MAX - 1, INT64_MAX};

    for (unsigned i = 0; i < 6; i++) {
        fw_deadline d = {{extremes[i], 999999999}, CLOCK_REALTIME};

        assert_int_equal(fw_deadline_left_(&d, 77), extremes[i] > 0 ? 77 : 0);
        assert_int_equal(fw_deadline_left_(&d, UINT64_C(5) << 30),
                         extremes[i] > 0 ? UINT64_C(5) << 30 : 0);
    }
    assert_int_equal(fw_deadline_left_(NULL, 5), 5);
}

UNIT_MAIN(reset, NULL)
