/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include <furwock/futex.h>

#include "mutex_words.h"

/* src/thread/mutex.c: passing the lock, by unlock_fair and to those who starve. */

static fw_mutex m;

static int reset(void)
{
    fw_mutex_init(&m);
    return reset_fake();
}

static void as(uint32_t tid, void (*call)(fw_mutex *))
{
    uint32_t before = fake_as(tid);

    call(&m);
    fake_as(before >> FW_ID_SHIFT);
}

static void lock_blocking(void)
{
    assert_int_equal(fw_mutex_lock_policy(&m, &block, NULL), 0);
}

/* A waiter that loses again and again: how late it is at each sleep, and what it then asks for. */
static uint64_t patience_ns;

static int loses_for_some_time(struct fake_call *call)
{
    (void)call;
    switch (fake.waits) {
    case 1:
    case 2:
        if (fake.waits == 2) {
            assert_word(&m, HELD(OTHER) | FENCED | RETRY | WAITERS(1));
            fake.now_ns += patience_ns;
        }
        as(fake.waits == 1 ? OWNER : OTHER, fw_mutex_unlock);
        as(OTHER, fw_mutex_lock);
        return FAKE_COMPARE;
    default:
        as(OTHER, fw_mutex_unlock);
        return FAKE_COMPARE;
    }
}

TEST(half_a_millisecond_of_losing_earns_a_handoff)
{
    for (unsigned i = 0; i < 2; i++) {
        fake_reset();
        patience_ns = 500000 - i;
        m.state_ = HELD(OWNER) | FENCED;
        fake.on_sleep = loses_for_some_time;
        lock_blocking();
        assert_word(&m, MINE | FENCED);
        assert_int_equal(fake.waits, 3);
        assert_int_equal(fake_nth(FAKE_WAIT, 2)->bits, MUTEX_CLASS_RETRY);
        assert_int_equal(fake_nth(FAKE_WAIT, 2)->expected & (STARVING >> 32),
                         i == 0 ? STARVING >> 32 : 0);
        /* A pass draws a serial number, and so tells itself from a greedy release. */
        assert_int_equal(fake.next_serial, FIRST_SERIAL + (i == 0 ? 1 : 0));
    }
}

static void ask_then_release(void)
{
    if (is_starving(m.state_))
        as(OWNER, fw_mutex_unlock);
}

TEST(a_starving_spinner_asks_too)
{
    static const fw_wait_policy spin = {FW_WAIT_SPIN, 0};

    m.state_ = HELD(OWNER);
    fake.pause_ns = 10000;
    fake.on_poll = ask_then_release;
    assert_int_equal(fw_mutex_lock_policy(&m, &spin, NULL), 0);
    assert_word(&m, MINE);
    assert_int_equal(fake.next_serial, FIRST_SERIAL + 1);
    assert_int_equal(fake.waits, 0);
}

/* Somebody was woken and does not get to run: the others are not to wait for that for ever. */
TEST(an_overdue_wake_makes_a_release_pass)
{
    fake.overdue = true;
    m.state_ = MINE | FENCED | WAKING | WAITERS(2);
    fw_mutex_unlock(&m);
    assert_true(is_being_handed_off(m.state_));
    assert_word(&m, with_owner(FENCED | WAKING | WAITERS(2), owner_half(m.state_)));
    assert_int_equal(fake.wakes, 1);
    m.state_ = MINE | FENCED | WAITERS(2); /* nobody is on the way yet */
    fw_mutex_unlock(&m);
    assert_word(&m, FENCED | WAKING | WAITERS(2));
    assert_int_equal(fake.wakes, 2);
}

UNIT_MAIN(reset, NULL)
