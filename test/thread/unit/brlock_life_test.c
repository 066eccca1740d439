/* SPDX-License-Identifier: MIT */
#include "brlock_word.h"

/* src/thread/brlock_life.c: what may be unmade, and when. */

TEST(a_free_one_is_unmade)
{
    assert_int_equal(fw_brlock_trydestroy(&lock), 0);
    assert_null(lock.lines_);
}

TEST(what_is_read_stays)
{
    fw_brlock_rdlock(&lock);
    assert_int_equal(fw_brlock_trydestroy(&lock), EBUSY);
    FAKE_EXPECT_PANIC(fw_brlock_destroy(&lock));
    assert_string_equal(fake.panic_what, "read-write lock destroyed while it is read");
    fw_brlock_rdunlock(&lock);
}

TEST(what_is_written_stays)
{
    uint32_t me = fake_as(200);

    fw_brlock_wrlock(&lock);
    fake_as(FAKE_SELF);
    assert_int_equal(fw_brlock_trydestroy(&lock), EBUSY);
    FAKE_EXPECT_PANIC(fw_brlock_destroy(&lock));
    assert_int_equal(fake.panic_owner, FAKE_ID(200));
    fake_as(200);
    FAKE_EXPECT_PANIC(fw_brlock_destroy(&lock));
    assert_string_equal(fake.panic_what, "read-write lock destroyed by its owner");
    fw_brlock_wrunlock(&lock);
    fw_self_id_ = me;
}

/* It has cleared the closed flag, and not yet let go of the writers' mutex. */
static int leaves(struct fake_call *call)
{
    (void)call;
    if (fake.waits < 2)
        return -ETIMEDOUT; /* it was not to be had in a millisecond */
    fake_as(200);
    fw_mutex_unlock(&lock.lines_->writers);
    return FAKE_COMPARE;
}

TEST(who_is_on_the_way_out_is_waited_for)
{
    fake_as(200);
    fw_mutex_lock(&lock.lines_->writers);
    fake_as(FAKE_SELF);
    fake.on_sleep = leaves;
    assert_int_equal(fw_brlock_trydestroy(&lock), 0);
    assert_true(fake.waits >= 2);
}

/* The stripes are open again: readers come and go, and the last of them destroys the lock. */
static int clears_the_closed_flag(struct fake_call *call)
{
    (void)call;
    lock.owner_ = 0;
    fake_as(200);
    fw_mutex_unlock(&lock.lines_->writers);
    return FAKE_COMPARE;
}

BOTH(a_writer_that_has_yet_to_reopen_is_waited_for)
{
    fake_as(200);
    fw_mutex_lock(&lock.lines_->writers);
    lock.owner_ = FAKE_ID(200);
    fake_as(FAKE_SELF);
    fake.on_sleep = clears_the_closed_flag;
    fw_brlock_destroy(&lock);
    assert_null(lock.lines_);
    assert_true(fake.waits >= 1);
}

/* It took the mutex on its way in, and closes the lock. */
static int closes(struct fake_call *call)
{
    (void)call;
    lock.owner_ = FAKE_ID(200);
    lock.lines_->stripe[0].word |= BRLOCK_CLOSED;
    return -ETIMEDOUT;
}

TEST(who_is_on_the_way_in_is_not)
{
    fake_as(200);
    fw_mutex_lock(&lock.lines_->writers);
    fake_as(FAKE_SELF);
    fake.on_sleep = closes;
    fake.pause_ns = 1000000;
    assert_int_equal(fw_brlock_trydestroy(&lock), EBUSY);
    lock.owner_ = 0;
    lock.lines_->stripe[0].word &= ~BRLOCK_CLOSED;
    fake_as(200);
    fw_mutex_unlock(&lock.lines_->writers);
    fake_as(FAKE_SELF);
}

TEST(what_a_fork_left_held_stays)
{
    fake_as(200);
    fw_mutex_lock(&lock.lines_->writers);
    fake_as(FAKE_SELF);
    fake.fork_generation++;
    assert_int_equal(fw_brlock_trydestroy(&lock), EBUSY);
    assert_int_equal(fake.waits, 0);
    fake_as(200);
    fw_mutex_unlock(&lock.lines_->writers);
    fake_as(FAKE_SELF);
}
UNIT_MAIN(begin, end)
