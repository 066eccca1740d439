/* SPDX-License-Identifier: MIT */
#include "brlock_word.h"

/* fw_brlock: readers that wait for writers, those who lose, and what is an error. */

/* The reader sleeps, the closed flag is clear, and the next writer comes before the reader runs. */
static int next_writer_comes(struct fake_call *call)
{
    fw_deadline soon = fake_deadline(CLOCK_MONOTONIC, 1000000);

    if (call->word != &lock.owner_) {
        assert_ptr_equal(call->word, &lock.lines_->kept);
        assert_int_equal(call->expected, BRLOCK_READER | BRLOCK_CLOSED);
        return FAKE_COMPARE;
    }
    AS(OTHER, fw_brlock_wrunlock(&lock));
    fake_as(THIRD);
    assert_int_equal(fw_brlock_trywrlock(&lock), EBUSY);
    assert_int_equal(fw_brlock_timedwrlock(&lock, &soon), ETIMEDOUT);
    assert_false(brlock_is_closed(lock.owner_));
    return FAKE_COMPARE;
}

BOTH(a_reader_waits_for_one_writer_at_most)
{
    AS(OTHER, fw_brlock_wrlock(&lock));
    fake.on_sleep = next_writer_comes;
    assert_int_equal(fw_brlock_rdlock_policy(&lock, &block, NULL), 0);
    assert_int_equal(fake.waits, 2);
    assert_int_equal(lock.lines_->kept, 0);
    assert_int_equal(fake.fences, has_counters(&lock) ? 1 : 0);
    fw_brlock_rdunlock(&lock);
    check_at_rest();
}

static uint32_t *kept(void)
{
    return &lock.lines_->kept;
}

static void kept_reader_comes_in(void)
{
    fake.on_poll = NULL;
    *kept() -= BRLOCK_READER;
}

BOTH(a_writer_lets_in_those_who_were_kept_out)
{
    *kept() = BRLOCK_READER;
    fake.on_poll = kept_reader_comes_in;
    fw_brlock_wrlock(&lock);
    assert_int_equal(*kept(), 0);
    assert_int_equal(fake.pauses, 1);
    fw_brlock_wrunlock(&lock);
    check_at_rest();
}

#define DOES_NOT_OWN "write lock released by a thread that does not own it"

BOTH(the_writer_may_not_ask_again)
{
    fw_brlock_wrlock(&lock);
    assert_int_equal(fw_brlock_trywrlock(&lock), EBUSY);
    assert_int_equal(fw_brlock_tryrdlock(&lock), EBUSY);
    FAKE_EXPECT_PANIC(fw_brlock_wrlock(&lock));
    assert_misuse("write lock asked for again by its owner", &lock, FAKE_ID(FAKE_SELF));
    FAKE_EXPECT_PANIC(fw_brlock_rdlock(&lock));
    assert_misuse("read lock asked for by the writer", &lock, FAKE_ID(FAKE_SELF));
    FAKE_EXPECT_PANIC(fw_brlock_destroy(&lock));
    assert_misuse("read-write lock destroyed by its owner", &lock, FAKE_ID(FAKE_SELF));
    fw_brlock_wrunlock(&lock);
}

BOTH(only_the_writer_releases)
{
    FAKE_EXPECT_PANIC(fw_brlock_wrunlock(&lock));
    assert_misuse(DOES_NOT_OWN, &lock, 0);
    AS(OTHER, fw_brlock_wrlock(&lock));
    FAKE_EXPECT_PANIC(fw_brlock_wrunlock(&lock));
    assert_misuse(DOES_NOT_OWN, &lock, FAKE_ID(OTHER));
}

BOTH(a_read_lock_of_nobody_is_seen_where_it_can_be)
{
    if (has_counters(&lock))
        fw_brlock_wrlock(&lock);
    FAKE_EXPECT_PANIC(fw_brlock_rdunlock(&lock));
    assert_misuse("read lock released that nobody holds", &lock, 0);
}

UNIT_MAIN(begin, end)
