/* SPDX-License-Identifier: MIT */
#include "cond_waits.h"

/*
 * src/thread/cond_wake.c: when a waiter is woken.  (src/thread/cond_operation.c:
 * test/await/unit/cond_test.c)
 */

/* The variable says that signals are the rule: the next waiter sleeps on a futex of its own. */
enum { SIGNALS = 2 };

static unsigned wakes_inside; /* how many wakes the signaller had made when it still held m */
static bool by_a_stranger;    /* who does not hold it */

static int is_signalled(struct fake_call *call)
{
    (void)call;
    if (by_a_stranger)
        AS(OWNER, assert_int_equal(fw_cond_signal(&c), 1); wakes_inside = fake.wakes);
    else
        WITH_MUTEX(assert_int_equal(fw_cond_signal(&c), 1); wakes_inside = fake.wakes);
    assert_int_equal(fw_cond_signal(&c), 0);
    return FAKE_COMPARE;
}

/*
 * A holder of the mutex wakes a single sleeper after its release.  A thread that sleeps on the
 * variable must be awake when the signal has returned, and so must one that a stranger signals to.
 */
TEST(a_signal_wakes_at_once_or_after_the_release)
{
    static const struct {
        uint32_t waiters;
        bool by_a_stranger;
        unsigned inside;
    } cases[] = {{SIGNALS, false, 0}, {0, false, 1}, {SIGNALS, true, 1}};

    for (unsigned i = 0; i < 3; i++) {
        const struct fake_call *wake;

        reset_cond();
        c.waiters_ = cases[i].waiters;
        by_a_stranger = cases[i].by_a_stranger;
        fake.on_sleep = is_signalled;
        assert_int_equal(wait_blocking(NULL), 0);
        assert_int_equal(wakes_inside, cases[i].inside);
        assert_int_equal(fake.wakes, 1);
        assert_int_equal(c.waiters_, SIGNALS);
        assert_int_equal(m.state_ >> 42, 0);
        wake = fake_nth(FAKE_WAKE, 0);
        assert_int_equal(wake->word == &c.seq_, cases[i].waiters == 0);
        if (cases[i].waiters == 0) {
            assert_int_equal(wake->n, FW_FUTEX_ALL);
            assert_int_equal(wake->bits & MUTEX_CLASS_ANY, 0);
        }
    }
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
