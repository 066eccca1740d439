/* SPDX-License-Identifier: MIT */
#include "bench/classics/usema.h"

#include "test/support/child.h"
#include "test/support/unit.h"

TEST(words)
{
    classic_usema u = CLASSIC_USEMA_INIT(2);

    classic_usema_down(&u);
    assert_int_equal(u.status, 1);
    assert_int_equal(classic_usema_trydown(&u), 0);
    assert_int_equal(u.status, 0);
    assert_int_equal(classic_usema_trydown(&u), EBUSY);
    assert_int_equal(u.status, 0);
    classic_usema_up(&u);
    classic_usema_up(&u);
    assert_int_equal(u.status, 2);
    assert_int_equal(u.wakeups, 0);
}

TEST(a_premature_wakeup_is_kept)
{
    /* Taken, and a waiter that has not come to the queue. */
    classic_usema u = {(uint32_t)-1, 0, CLASSIC_SHARED};

    classic_usema_up(&u);
    assert_int_equal(u.status, 0);
    assert_int_equal(u.wakeups, 1);
    classic_usema_wait_slow_(&u); /* now it comes, and must not sleep */
    assert_int_equal(u.wakeups, 0);
    classic_usema_up(&u);
    assert_int_equal(u.status, 1);
}

static void down_and_up(void *arg)
{
    classic_usema_down(arg);
    classic_usema_up(arg);
}

TEST(waiters_are_counted)
{
    classic_usema *u = share(sizeof *u);
    *u = (classic_usema)CLASSIC_USEMA_INIT(1);

    classic_usema_down(u);
    pid_t first = start_asleep(down_and_up, u);
    assert_int_equal(u->status, (uint32_t)-1);
    pid_t second = start_asleep(down_and_up, u);
    assert_int_equal(u->status, (uint32_t)-2);
    classic_usema_up(u);
    finish(first);
    finish(second);
    assert_int_equal(u->status, 1);
    assert_int_equal(u->wakeups, 0);
}

UNIT_MAIN(NULL, NULL)
