/* SPDX-License-Identifier: MIT */
#include "brlock_word.h"

/* src/thread/brlock_life.c: what may be unmade, and when. */

static void other_enters(void)
{
    AS(OTHER, fw_mutex_lock(&lock.lines_->writers));
}

static void other_leaves(void)
{
    AS(OTHER, fw_mutex_unlock(&lock.lines_->writers));
}

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
    assert_misuse("read-write lock destroyed while it is read", &lock, 0);
    fw_brlock_rdunlock(&lock);
}

TEST(what_is_written_stays)
{
    AS(OTHER, fw_brlock_wrlock(&lock));
    assert_int_equal(fw_brlock_trydestroy(&lock), EBUSY);
    FAKE_EXPECT_PANIC(fw_brlock_destroy(&lock));
    assert_int_equal(fake.panic_owner, FAKE_ID(OTHER));
    AS(OTHER, fw_brlock_wrunlock(&lock));
}

/* It has cleared the closed flag, and not yet let go of the writers' mutex. */
static int leaves(struct fake_call *call)
{
    (void)call;
    if (fake.waits < 2)
        return -ETIMEDOUT; /* it was not to be had in a millisecond */
    other_leaves();
    return FAKE_COMPARE;
}

TEST(who_is_on_the_way_out_is_waited_for)
{
    other_enters();
    fake.on_sleep = leaves;
    assert_int_equal(fw_brlock_trydestroy(&lock), 0);
    assert_true(fake.waits >= 2);
}

/* The stripes are open again: readers come and go, and the last of them destroys the lock. */
MEANWHILE(clears_the_closed_flag, lock.owner_ = 0; other_leaves())

BOTH(a_writer_that_has_yet_to_reopen_is_waited_for)
{
    other_enters();
    lock.owner_ = FAKE_ID(OTHER);
    fake.on_sleep = clears_the_closed_flag;
    fw_brlock_destroy(&lock);
    assert_null(lock.lines_);
    assert_true(fake.waits >= 1);
}

/* It took the mutex on its way in, and closes the lock. */
static int closes(struct fake_call *call)
{
    (void)call;
    lock.owner_ = FAKE_ID(OTHER);
    lock.lines_->stripe[0].word |= BRLOCK_CLOSED;
    return -ETIMEDOUT;
}

TEST(who_is_on_the_way_in_is_not)
{
    other_enters();
    fake.on_sleep = closes;
    fake.pause_ns = 1000000;
    assert_int_equal(fw_brlock_trydestroy(&lock), EBUSY);
}

TEST(what_a_fork_left_held_stays)
{
    other_enters();
    fake.fork_generation++;
    assert_int_equal(fw_brlock_trydestroy(&lock), EBUSY);
    assert_int_equal(fake.waits, 0);
}

UNIT_MAIN(begin, end)
