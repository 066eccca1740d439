/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "rwlock_words.h"

/* The read-write lock in a forked child: it speaks of a line that does not exist there. */

static fw_rwlock l;

static const uint64_t stale = QUEUE_AWAKE | 3 * QUEUE_SHARER | 2 * QUEUE_WRITER;

static int reset(void)
{
    fake_reset();
    fw_rwlock_init(&l, FW_RWLOCK_FAIR);
    l.queue_ |= stale;
    return 0;
}

static void assert_clean(uint64_t word)
{
    assert_word(&l, word);
    assert_int_equal(l.queue_, FW_RWLOCK_FAIR);
    assert_int_equal(fake.n_calls, 0);
}

TEST(a_reader_finds_nobody_in_its_way)
{
    l.state_ = CLOSED | WAITERS;
    fw_rwlock_rdlock(&l);
    assert_clean(MINE | READERS(1));
    fw_rwlock_rdunlock(&l);
    l.state_ = READERS(1) | CLOSED | WAKING; /* the reader was another thread: it reads for ever */
    l.queue_ |= stale;
    fw_rwlock_upgradable_lock(&l);
    assert_clean(MINE | UPGRADABLE | READERS(1));
}

TEST(releases_wake_nobody)
{
    l.state_ = MINE | WRITER | CLOSED | WAITERS;
    fw_rwlock_wrunlock(&l);
    assert_clean(0);
    l.queue_ |= stale;
    l.state_ = MINE | READERS(1) | CLOSED | WAITERS;
    fw_rwlock_rdunlock(&l);
    assert_clean(0);
    l.queue_ |= stale;
    l.state_ = MINE | UPGRADABLE | WAITERS;
    fw_rwlock_upgradable_unlock(&l);
    assert_clean(0);
    l.queue_ |= stale;
    l.state_ = MINE | WRITER | WAITERS;
    fw_rwlock_downgrade(&l);
    assert_clean(MINE | READERS(1));
}

/* The waiter that was woken does not come; the next that has to wait finds that out. */
TEST(a_lost_waiter_is_not_waited_for)
{
    l.state_ = MINE | WRITER | CLOSED | WAKING;
    fw_rwlock_wrunlock(&l);
    assert_word(&l, CLOSED | WAKING);
    fw_rwlock_wrlock(&l);
    assert_word(&l, MINE | WRITER | CLOSED | WAKING);
    fw_rwlock_wrunlock(&l);
    fw_rwlock_rdlock(&l);
    assert_clean(MINE | READERS(1));
}

TEST(the_first_in_the_queue_is_alone)
{
    fw_deadline d = fake_deadline(CLOCK_MONOTONIC, 1000);

    l.state_ = READERS(1) | CLOSED | WAKING;
    assert_int_equal(fw_rwlock_wrlock_policy(&l, &block, &d), ETIMEDOUT);
    assert_word(&l, READERS(1));
    assert_int_equal(l.queue_, FW_RWLOCK_FAIR);
    assert_int_equal(fake.wakes, 0);
}

UNIT_MAIN(reset, NULL)
