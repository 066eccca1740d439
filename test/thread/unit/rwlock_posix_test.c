/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "rwlock_words.h"
#include "thread/rwlock_posix.h"

/*
 * src/thread/rwlock_posix.h: the rules of the C library, kept with an fw_rwlock; nothing
 * stops here.
 */

static fw_rwlock l;

static int reset(void)
{
    fake_reset();
    fw_rwlock_init(&l, FW_RWLOCK_FAIR);
    return 0;
}

static fw_deadline soon(void)
{
    return fake_deadline(CLOCK_MONOTONIC, 100000);
}

TEST(the_writer_is_told)
{
    fw_deadline d = soon();

    l.state_ = MINE | WRITER;
    assert_int_equal(fw_rwlock_rdlock_posix_(&l, NULL), EDEADLK);
    assert_int_equal(fw_rwlock_wrlock_posix_(&l, NULL), EDEADLK);
    assert_int_equal(fw_rwlock_wrlock_posix_(&l, &d), EDEADLK);
    assert_word(&l, MINE | WRITER);
}

TEST(a_reader_that_writes_waits)
{
    fw_deadline d = soon();

    l.state_ = MINE | READERS(1);
    assert_int_equal(fw_rwlock_wrlock_posix_(&l, &d), ETIMEDOUT);
    assert_word(&l, MINE | READERS(1));
}

/* The name may be that of a reader whose hold somebody else has given up. */
TEST(a_reader_that_is_kept_out_waits)
{
    fw_deadline d = soon();

    l.state_ = MINE | READERS(2) | CLOSED | WAITERS;
    l.queue_ |= QUEUE_WRITER;
    assert_int_equal(fw_rwlock_rdlock_posix_(&l, &d), 0); /* the line was empty: let in */
    assert_word(&l, MINE | READERS(3));
}

TEST(free_locks_are_taken)
{
    fw_deadline bad = {{0, -1}, CLOCK_MONOTONIC};

    assert_int_equal(fw_rwlock_rdlock_posix_(&l, &bad), 0);
    assert_int_equal(fw_rwlock_rdlock_posix_(&l, NULL), 0);
    assert_word(&l, MINE | READERS(2));
    assert_int_equal(fw_rwlock_wrlock_posix_(&l, &bad), EINVAL);
    l.state_ = RW_READERS;
    assert_int_equal(fw_rwlock_rdlock_posix_(&l, NULL), EAGAIN);
    l.state_ = 0;
    assert_int_equal(fw_rwlock_wrlock_posix_(&l, NULL), 0);
    assert_word(&l, MINE | WRITER);
}

TEST(anybody_releases)
{
    l.state_ = BY(OTHER) | WRITER;
    fw_rwlock_unlock_posix_(&l, l.state_);
    assert_word(&l, 0);
    l.state_ = BY(OTHER) | READERS(2);
    fw_rwlock_unlock_posix_(&l, l.state_);
    assert_word(&l, BY(OTHER) | READERS(1));
    fw_rwlock_unlock_posix_(&l, l.state_);
    assert_word(&l, 0);
    fw_rwlock_unlock_posix_(&l, l.state_);
    assert_word(&l, 0);
    assert_int_equal(fake.n_calls, 0);
}

static int release_as_another(struct fake_call *call)
{
    (void)call;
    AS(THIRD, fw_rwlock_unlock_posix_(&l, l.state_));
    return FAKE_COMPARE;
}

/* A release by one who never had it finds the line, as any does. */
TEST(queued_waiters_are_let_in)
{
    l.state_ = BY(OTHER) | WRITER;
    fake.on_wait = release_as_another;
    assert_int_equal(fw_rwlock_rdlock_posix_(&l, NULL), 0);
    assert_word(&l, MINE | READERS(1));
    l.state_ = BY(OTHER) | READERS(1);
    assert_int_equal(fw_rwlock_wrlock_posix_(&l, NULL), 0);
    assert_word(&l, MINE | WRITER);
    assert_int_equal(l.queue_, FW_RWLOCK_FAIR);
}

UNIT_MAIN(reset, NULL)
