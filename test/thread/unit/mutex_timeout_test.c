/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include <furwock/futex.h>

#include "mutex_words.h"

/*
 * src/thread/mutex.c: deadlines, what a waiter that gives up leaves behind, and the waiting
 * policies.
 */

static fw_mutex m;

static int reset(void)
{
    fw_mutex_init(&m);
    return reset_fake();
}

static int lock_until(const fw_deadline *d)
{
    return fw_mutex_lock_policy(&m, &block, d);
}

static void as(uint32_t tid, void (*call)(fw_mutex *))
{
    uint32_t before = fake_as(tid);

    call(&m);
    fake_as(before >> FW_ID_SHIFT);
}

TEST(giving_up_leaves_no_trace)
{
    static const struct {
        uint64_t before, after;
    } cases[] = {
        {HELD(OWNER), HELD(OWNER) | FENCED},
        {HELD(OWNER) | FENCED | WAITERS(2), HELD(OWNER) | FENCED | WAITERS(2)},
        {HELD(OWNER) | FENCED | RETRY | STARVING | WAITERS(2),
         HELD(OWNER) | FENCED | RETRY | STARVING | WAITERS(2)},
        /* A needless wake at the next release is legal, a lost one is not. */
        {HELD(OWNER) | FENCED | WAKING | WAITERS(2), HELD(OWNER) | FENCED | WAITERS(2)},
        {UNSIGNED | FENCED | WAITERS(1), UNSIGNED | FENCED | WAITERS(1)},
    };
    static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME};

    for (unsigned i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        fw_deadline d;

        fake_reset();
        d = fake_deadline(clocks[i % 2], 5000);
        m.state_ = cases[i / 2].before;
        assert_int_equal(lock_until(&d), ETIMEDOUT);
        assert_word(&m, cases[i / 2].after);
        assert_int_equal(fake.waits, 1);
        assert_true(fake_nth(FAKE_WAIT, 0)->has_deadline);
        assert_memory_equal(&fake_nth(FAKE_WAIT, 0)->deadline.at, &d.at, sizeof d.at);
        assert_int_equal(fake_nth(FAKE_WAIT, 0)->deadline.clock, d.clock);
        assert_int_equal(fake.wakes, 0);
    }
}

static int lost_then_over(struct fake_call *call)
{
    if (fake.waits > 1) {
        assert_word(&m, HELD(OTHER) | FENCED | RETRY | WAITERS(2));
        assert_int_equal(call->bits, MUTEX_CLASS_RETRY);
        return FAKE_COMPARE;
    }
    as(OWNER, fw_mutex_unlock);
    as(OTHER, fw_mutex_lock);
    return FAKE_COMPARE;
}

TEST(an_old_waiter_takes_its_flags_with_it)
{
    fw_deadline d = fake_deadline(CLOCK_MONOTONIC, 5000);

    m.state_ = HELD(OWNER) | FENCED | WAITERS(1);
    fake.on_sleep = lost_then_over;
    /* The fake wakes the only sleeper that it has; the other one of the word is imagined. */
    assert_int_equal(lock_until(&d), ETIMEDOUT);
    assert_word(&m, HELD(OTHER) | FENCED | WAITERS(1));
}

/* The releases that happen between the end of the sleep and the waiter's next look. */
static int freed_at_the_last_moment(struct fake_call *call)
{
    (void)call;
    as(OWNER, fw_mutex_unlock);
    return -ETIMEDOUT;
}

static int passed_at_the_last_moment(struct fake_call *call)
{
    (void)call;
    as(OWNER, fw_mutex_unlock_fair);
    assert_word(&m, HANDOFF(FIRST_SERIAL) | FENCED | WAKING | WAITERS(1));
    return -ETIMEDOUT;
}

TEST(a_lock_is_better_than_a_timeout)
{
    fw_deadline d = fake_deadline(CLOCK_MONOTONIC, 5000);

    m.state_ = HELD(OWNER);
    fake.on_wait = freed_at_the_last_moment;
    assert_int_equal(lock_until(&d), 0);
    assert_word(&m, MINE | FENCED);
    m.state_ = HELD(OWNER);
    fake.on_wait = passed_at_the_last_moment;
    assert_int_equal(lock_until(&d), 0);
    assert_word(&m, MINE | FENCED);
}

static unsigned spins_before_release;

static void owner_leaves_after_some_spins(void)
{
    if (fake.pauses + fake.yields == spins_before_release)
        as(OWNER, fw_mutex_unlock);
}

static uint64_t slept_at;

static int note_when(struct fake_call *call)
{
    (void)call;
    slept_at = fake.now_ns;
    as(OWNER, fw_mutex_unlock);
    return FAKE_COMPARE;
}

TEST(spinning_ends_with_its_budget)
{
    static const uint32_t budgets[] = {0, 1000, 3000, 50000};

    for (unsigned i = 0; i < 4; i++) {
        fw_wait_policy p = {FW_WAIT_SPIN_THEN_BLOCK, budgets[i]};
        uint64_t start;

        fake_reset();
        start = fake.now_ns;
        fake.on_sleep = note_when;
        m.state_ = HELD(OWNER) | FENCED;
        assert_int_equal(fw_mutex_lock_policy(&m, &p, NULL), 0);
        assert_true(slept_at - start >= budgets[i]);
        assert_true(slept_at - start <= 2 * budgets[i] + 100);
        assert_int_equal(fake.waits, 1);
    }
}

static unsigned pauses_at_sleep[3];

static int lose_once(struct fake_call *call)
{
    (void)call;
    pauses_at_sleep[fake.waits] = fake.pauses;
    as(fake.waits == 1 ? OWNER : OTHER, fw_mutex_unlock);
    if (fake.waits == 1)
        as(OTHER, fw_mutex_lock);
    return FAKE_COMPARE;
}

TEST(a_woken_waiter_spins_again)
{
    static const fw_wait_policy p = {FW_WAIT_SPIN_THEN_BLOCK, 3000};

    m.state_ = HELD(OWNER) | FENCED;
    fake.on_sleep = lose_once;
    assert_int_equal(fw_mutex_lock_policy(&m, &p, NULL), 0);
    assert_int_equal(fake.waits, 2);
    assert_true(pauses_at_sleep[1] >= 300); /* of 10 ns each */
    assert_true(pauses_at_sleep[2] >= pauses_at_sleep[1] + 300);
}

/* Spinners and yielders are queued after half a millisecond, but never sleep. */
TEST(those_who_never_sleep_join_in_the_end)
{
    static const fw_wait_kind kinds[] = {FW_WAIT_SPIN, FW_WAIT_YIELD};

    for (unsigned i = 0; i < 2; i++) {
        fw_wait_policy p = {kinds[i], 0};
        fw_deadline d;

        fake_reset();
        d = fake_deadline(CLOCK_MONOTONIC, 3000000);
        m.state_ = HELD(OWNER);
        fake.pause_ns = 1000;
        assert_int_equal(fw_mutex_lock_policy(&m, &p, &d), ETIMEDOUT);
        assert_word(&m, HELD(OWNER));
        assert_int_equal(fake.n_calls, 0);
        spins_before_release = 2000; /* at 1 us each: it is queued by then */
        fake.on_poll = owner_leaves_after_some_spins;
        fake.pauses = fake.yields = 0;
        assert_int_equal(fw_mutex_lock_policy(&m, &p, NULL), 0);
        assert_int_equal(fake.waits, 0);
        assert_int_equal(owner_half(m.state_), FAKE_ID(FAKE_SELF));
        assert_false(has_waiters(m.state_));
    }
}

UNIT_MAIN(reset, NULL)
