/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include <furwock/futex.h>

#include "rwlock_words.h"

/* src/thread/rwlock_queue.c: queueing, spinning, sleeping, being called. */

static fw_rwlock l;
static const fw_wait_policy spin = {FW_WAIT_SPIN_THEN_BLOCK, 1000}, never = {FW_WAIT_YIELD, 0};

static int reset(void)
{
    fake_reset();
    fw_rwlock_init(&l, FW_RWLOCK_FAIR);
    return 0;
}

static void assert_at_rest(uint64_t word)
{
    assert_word(&l, word);
    assert_int_equal(l.queue_, FW_RWLOCK_FAIR);
}

/* While somebody is coming, releases need not wake; one that is overdue is not waited for. */
static int comes_late(struct fake_call *call)
{
    (void)call;
    AS(OWNER, fw_rwlock_wrunlock(&l));
    for (int i = 0; i < 3; i++)
        AS(OTHER, fw_rwlock_wrlock(&l); fw_rwlock_wrunlock(&l));
    assert_int_equal(fake.wakes, 1);
    AS(OTHER, fw_rwlock_wrlock(&l));
    fake.overdue = true;
    AS(OTHER, fw_rwlock_wrunlock(&l));
    assert_word(&l, MINE | WRITER);
    return FAKE_COMPARE;
}

TEST(an_overdue_writer_is_handed_the_lock)
{
    l.state_ = BY(OWNER) | WRITER;
    fake.on_sleep = comes_late;
    assert_int_equal(fw_rwlock_wrlock_policy(&l, &block, NULL), 0);
    assert_at_rest(MINE | WRITER);
}

/* OWNER releases and takes the lock again, over and over, each time quicker. */
static int owner_is_greedy(struct fake_call *call)
{
    const bool rechecks = call->has_deadline;

    assert_word(&l, BY(OWNER) | WRITER | CLOSED | (rechecks ? WAKING : WAITERS));
    fake.now_ns += 200000;
    AS(OWNER, fw_rwlock_wrunlock(&l));
    if (!rw_is_free(l.state_))
        return FAKE_COMPARE; /* handed over */
    AS(OWNER, assert_int_equal(fw_rwlock_trywrlock(&l), 0));
    return FAKE_COMPARE;
}

TEST(a_writer_that_loses_rechecks_and_is_handed_the_lock)
{
    unsigned rechecks = 0;

    l.state_ = BY(OWNER) | WRITER;
    fake.on_sleep = owner_is_greedy;
    assert_int_equal(fw_rwlock_wrlock_policy(&l, &block, NULL), 0);
    assert_at_rest(MINE | WRITER);
    for (unsigned i = 0; i < fake.waits; i++)
        rechecks += fake_nth(FAKE_WAIT, i)->has_deadline;
    assert_in_range(rechecks, 1, fake.waits - 2);
    assert_in_range(fake.waits, 4, 7);
}

static void reader_leaves_while_spinning(void)
{
    if (fake.pauses == 5)
        AS(OWNER, fw_rwlock_rdunlock(&l));
    if (fake.pauses < 5)
        assert_word(&l, BY(OWNER) | READERS(1) | CLOSED | WAITERS); /* queued from the beginning */
}

TEST(a_writer_behind_readers_spins_in_the_queue)
{
    l.state_ = BY(OWNER) | READERS(1);
    fake.on_poll = reader_leaves_while_spinning;
    assert_int_equal(fw_rwlock_wrlock_policy(&l, &spin, NULL), 0);
    assert_at_rest(MINE | WRITER);
    assert_int_equal(fake.n_calls, 0);
}

static void writer_leaves_while_spinning(void)
{
    if (fake.pauses == 5)
        AS(OWNER, fw_rwlock_wrunlock(&l));
    if (fake.pauses < 5)
        assert_word(&l, BY(OWNER) | WRITER); /* not queued yet */
}

TEST(a_writer_behind_a_writer_spins_outside)
{
    l.state_ = BY(OWNER) | WRITER;
    fake.on_poll = writer_leaves_while_spinning;
    assert_int_equal(fw_rwlock_wrlock_policy(&l, &spin, NULL), 0);
    assert_at_rest(MINE | WRITER);
    assert_int_equal(fake.n_calls, 0);
}

static void writer_leaves_late(void)
{
    if (fake.yields == 3000)
        AS(OWNER, fw_rwlock_wrunlock(&l));
}

TEST(who_never_sleeps_is_never_woken)
{
    fw_deadline d = fake_deadline(CLOCK_MONOTONIC, 600000000);

    for (int write = 0; write < 2; write++) {
        l.state_ = BY(OWNER) | WRITER;
        fake.yields = 0;
        fake.on_poll = writer_leaves_late;
        if (write)
            assert_int_equal(fw_rwlock_wrlock_policy(&l, &never, NULL), 0);
        else
            assert_int_equal(fw_rwlock_rdlock_policy(&l, &never, NULL), 0);
        assert_at_rest(MINE | (write ? WRITER : READERS(1)));
        assert_int_equal(fake.n_calls, 0);
    }
    l.state_ = BY(OWNER) | WRITER;
    fake.on_poll = NULL;
    assert_int_equal(fw_rwlock_rdlock_policy(&l, &never, &d), ETIMEDOUT);
    assert_at_rest(BY(OWNER) | WRITER);
}

/* The outer sleeper is OTHER's, the inner one the test's. */
static int then_all_are_let_in(struct fake_call *call)
{
    (void)call;
    if (fake.n_sleepers == 1) {
        assert_int_equal(fw_rwlock_rdlock_policy(&l, &spin, NULL), 0);
        return FAKE_COMPARE;
    }
    assert_int_equal(fake.pauses, 0); /* the one before sleeps: so does this one, at once */
    AS(OWNER, fw_rwlock_wrunlock(&l));
    return FAKE_COMPARE;
}

TEST(readers_are_woken_by_one_call)
{
    l.state_ = BY(OWNER) | WRITER;
    fake.on_sleep = then_all_are_let_in;
    AS(OTHER, assert_int_equal(fw_rwlock_rdlock_policy(&l, &block, NULL), 0));
    assert_at_rest(BY(OTHER) | READERS(2));
    assert_int_equal(fake.wakes, 1);
    assert_int_equal(fake_nth(FAKE_WAKE, 0)->result, 2);
}

UNIT_MAIN(reset, NULL)
