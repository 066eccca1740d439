/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "core/bucket_lock.h"
#include "fake.h"
#include "sys/schedule.h"
#include "test/support/unit.h"

/* The owner, unless the test says another. */
enum { OTHER = 200 };

#define WAITERS FW_ROBUST_WAITERS

static struct fw_bucket_lock_ l;

static int reset(void)
{
    fake_reset();
    fw_inheriting_ = 0;
    l = (struct fw_bucket_lock_){0, 0};
    return 0;
}

static void leave_all(void)
{
    l.owner = 0;
}

/* The owner lets go while the caller sleeps, or lends. */
static int wake(struct fake_call *call)
{
    (void)call;
    leave_all();
    l.calls = 0;
    return FAKE_SPURIOUS;
}

static int hand_over(uint32_t *word)
{
    *word = FAKE_SELF | WAITERS;
    return 0;
}

static int unlock(uint32_t *word)
{
    *word = 0;
    return 0;
}

TEST(free_it_costs_nothing)
{
    fw_bucket_lock_(&l);
    assert_int_equal(l.owner, FAKE_SELF);
    fw_bucket_unlock_(&l);
    assert_int_equal(l.owner, 0);
    assert_int_equal(fake.n_calls, 0);
    assert_int_equal(fake.urgency_asked, 0);
}

TEST(held_for_a_moment_it_is_polled)
{
    l.owner = OTHER;
    fake.on_poll = leave_all;
    fw_bucket_lock_(&l);
    assert_int_equal(l.owner, FAKE_SELF);
    assert_int_equal(l.calls, 0);
    assert_int_equal(fake.n_calls, 0);
}

TEST(an_ordinary_thread_sleeps_beside_the_word)
{
    l.owner = OTHER;
    fake.on_sleep = wake;
    fw_bucket_lock_(&l);
    assert_int_equal(l.owner, FAKE_SELF);
    assert_int_equal(fake.waits, 1);
    assert_ptr_equal(fake_nth(FAKE_WAIT, 0)->word, &l.calls);
    assert_int_equal(fake_nth(FAKE_WAIT, 0)->seen, 1);
    assert_true(fake_nth(FAKE_WAIT, 0)->has_deadline);
    assert_null(fake_nth(FAKE_LOCK_PI, 0));
    assert_int_equal(l.calls, 1); /* others may sleep */
    fw_bucket_unlock_(&l);
    assert_int_equal(fake.wakes, 1);
    assert_int_equal(l.calls, 0); /* none did */
}

static void check_that_it_lends(void)
{
    l.owner = OTHER;
    fake.on_lock_pi = hand_over;
    fw_bucket_lock_(&l);
    assert_int_equal(fake.waits, 0);
    assert_ptr_equal(fake_nth(FAKE_LOCK_PI, 0)->word, &l.owner);
    assert_int_equal(fake_nth(FAKE_LOCK_PI, 0)->flags, FW_FUTEX_PRIVATE);
    fake.on_unlock_pi = unlock;
    fw_bucket_unlock_(&l);
    assert_ptr_equal(fake_nth(FAKE_UNLOCK_PI, 0)->word, &l.owner);
    assert_int_equal(l.owner, 0);
}

TEST(a_real_time_thread_lends)
{
    fake.urgency = 1;
    check_that_it_lends();
}

TEST(a_thread_that_may_have_borrowed_lends)
{
    fw_inheriting_ = 1;
    check_that_it_lends();
}

/* Each time another one is quicker. */
static int wake_needlessly(struct fake_call *call)
{
    (void)call;
    return FAKE_SPURIOUS;
}

TEST(one_that_always_loses_queues_in_the_kernel)
{
    l.owner = OTHER;
    fake.on_sleep = wake_needlessly;
    fake.on_lock_pi = hand_over;
    fw_bucket_lock_(&l);
    assert_int_equal(fake.waits, 8);
    assert_int_equal(l.owner, FAKE_SELF | WAITERS);
    assert_int_equal(l.calls, 1);
}

static unsigned left;

static int wake_late(struct fake_call *call)
{
    return --left != 0 ? FAKE_SPURIOUS : wake(call);
}

TEST(without_such_locks_in_the_kernel_all_sleep)
{
    l.owner = OTHER;
    fake.urgency = 50;
    left = 20;
    fake.on_sleep = wake_late;
    fw_bucket_lock_(&l);
    assert_int_equal(l.owner, FAKE_SELF);
}

TEST(misuse_is_seen)
{
    fw_bucket_lock_(&l);
    FAKE_EXPECT_PANIC(fw_bucket_lock_(&l));
    assert_ptr_equal(fake.panic_lock, &l);
}

static int dead_owner(uint32_t *word)
{
    *word = FAKE_SELF | FW_ROBUST_DIED;
    return 0;
}

static int no_such_owner(uint32_t *word)
{
    (void)word;
    return -ESRCH;
}

TEST(a_dead_owner_is_a_panic)
{
    l.owner = OTHER;
    fake.urgency = 1;
    fake.on_lock_pi = dead_owner;
    FAKE_EXPECT_PANIC(fw_bucket_lock_(&l));
    l.owner = OTHER;
    fake.on_lock_pi = no_such_owner;
    FAKE_EXPECT_PANIC(fw_bucket_lock_(&l));
    assert_int_equal(fake.panic_error, ESRCH);
}

UNIT_MAIN(reset, NULL)
