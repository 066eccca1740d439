/* SPDX-License-Identifier: MIT */
#include "fake_percpu.h"
#include "rwlock_words.h"

/* src/thread/rwlock_queue.c: queueing, spinning, sleeping, being called; and after a fork. */

static const fw_wait_policy spin = {FW_WAIT_SPIN_THEN_BLOCK, 1000};

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

/* A queued reader, which sleeps somewhere else. */
static fw_await reading;

static void tell(void *op)
{
    assert_int_equal(((fw_await *)op)->state_, FW_OPERATION_GRANTED);
}

static void make_reader(void)
{
    reading = (fw_await){.task_ = FAKE_ID(OTHER),
                         .object_ = &l,
                         .kind_ = FW_OPERATION_RWLOCK,
                         .generation_ = FW_HAS_WAKER_,
                         .call_.wake = tell};
    reading.more_.arg = &reading;
}

static bool wakes_ahead, runs_before;

static void reader_leaves(void)
{
    if (rw_has_readers(l.state_))
        AS(OTHER, fw_rwlock_rdunlock(&l)); /* hands it over */
}

/* OWNER's release lets the reader in; the writer, which sleeps, comes next. */
static int reader_is_let_in(struct fake_call *call)
{
    uint32_t asleep = *call->word;

    AS(OWNER, fw_rwlock_wrunlock(&l));
    assert_word(&l, BY(OTHER) | READERS(1) | CLOSED | WAITERS);
    assert_int_equal(fake.wakes, wakes_ahead);
    assert_int_equal(*call->word != asleep, wakes_ahead);
    fake.on_poll = reader_leaves;
    if (!runs_before)
        reader_leaves();
    return FAKE_COMPARE;
}

static void write_behind_reader(uint32_t cpus, bool pays, const fw_wait_policy *policy)
{
    uint32_t before = fake_percpu.allowed;

    fake_percpu.allowed = cpus;
    fake.polling_pays = pays;
    make_reader();
    l.state_ = BY(OWNER) | WRITER;
    assert_true(fw_rw_enqueue_(&l, RW_READ, &reading));
    fake.on_sleep = reader_is_let_in;
    assert_int_equal(fw_rwlock_wrlock_policy(&l, policy, NULL), 0);
    assert_at_rest(MINE | WRITER);
    fake_percpu.allowed = before;
}

TEST(a_writer_that_was_woken_ahead_is_handed_the_lock)
{
    wakes_ahead = runs_before = true;
    write_behind_reader(RW_AHEAD_CPUS, true, &spin);
    assert_int_equal(fake.wakes, 1);
    assert_true(fake.polling_found); /* the thread is told that this has paid */
}

/* Whoever was about to wake it may have lost its CPU before that. */
TEST(a_writer_that_has_not_run_since_is_woken_once_more)
{
    wakes_ahead = true;
    runs_before = false;
    write_behind_reader(RW_AHEAD_CPUS, true, &spin);
    assert_int_equal(fake.wakes, 2);
}

static void not_ahead(uint32_t cpus, bool pays, const fw_wait_policy *policy)
{
    assert_int_equal(reset_rwlock(), 0);
    wakes_ahead = runs_before = false;
    write_behind_reader(cpus, pays, policy);
    assert_int_equal(fake.wakes, 1);
    assert_false(fake.polling_found);
}

TEST(a_writer_is_not_woken_ahead_on_few_cpus_or_where_it_does_not_pay)
{
    not_ahead(RW_AHEAD_CPUS - 1, true, &spin);
    not_ahead(RW_AHEAD_CPUS, false, &spin);
    not_ahead(RW_AHEAD_CPUS, true, &block);
}

static bool behind_a_reader;

/* Behind readers a writer is queued from the beginning, behind a writer not yet. */
static void holder_leaves_while_spinning(void)
{
    if (fake.pauses < 5)
        assert_word(&l, BY(OWNER) | (behind_a_reader ? READERS(1) | CLOSED | WAITERS : WRITER));
    if (fake.pauses == 5)
        AS(OWNER, fw_rwlock_unlock(&l));
}

TEST(a_writer_spins_in_the_queue_or_outside)
{
    for (int i = 0; i < 2; i++) {
        behind_a_reader = i == 1;
        fake_reset();
        l.state_ = BY(OWNER) | (behind_a_reader ? READERS(1) : WRITER);
        fake.on_poll = holder_leaves_while_spinning;
        assert_int_equal(fw_rwlock_wrlock_policy(&l, &spin, NULL), 0);
        assert_at_rest(MINE | WRITER);
        assert_int_equal(fake.n_calls, 0);
        fw_rwlock_wrunlock(&l);
    }
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

/* --- In a forked child: the word speaks of waiters that do not exist there ---------------- */

static const uint64_t stale = QUEUE_AWAKE | 3 * QUEUE_SHARER | 2 * QUEUE_WRITER;

static void be_forked(uint64_t state)
{
    l.state_ = state;
    l.queue_ |= stale;
}

static void assert_clean(uint64_t word)
{
    assert_at_rest(word);
    assert_int_equal(fake.n_calls, 0);
}

TEST(a_reader_finds_nobody_in_its_way)
{
    be_forked(CLOSED | WAITERS);
    fw_rwlock_rdlock(&l);
    assert_clean(MINE | READERS(1));
    fw_rwlock_rdunlock(&l);
    be_forked(READERS(1) | CLOSED | WAKING); /* the reader was another thread: it reads forever */
    fw_rwlock_upgradable_lock(&l);
    assert_clean(MINE | UPGRADABLE | READERS(1));
}

TEST(releases_wake_nobody)
{
    be_forked(MINE | WRITER | CLOSED | WAITERS);
    fw_rwlock_wrunlock(&l);
    assert_clean(0);
    be_forked(MINE | READERS(1) | CLOSED | WAITERS);
    fw_rwlock_rdunlock(&l);
    assert_clean(0);
    be_forked(MINE | UPGRADABLE | WAITERS);
    fw_rwlock_upgradable_unlock(&l);
    assert_clean(0);
    be_forked(MINE | WRITER | WAITERS);
    fw_rwlock_downgrade(&l);
    assert_clean(MINE | READERS(1));
}

/* The waiter that was woken does not come; the next that has to wait finds that out. */
TEST(a_lost_waiter_is_not_waited_for)
{
    be_forked(MINE | WRITER | CLOSED | WAKING);
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

    be_forked(READERS(1) | CLOSED | WAKING);
    assert_int_equal(fw_rwlock_wrlock_policy(&l, &block, &d), ETIMEDOUT);
    assert_at_rest(READERS(1));
    assert_int_equal(fake.wakes, 0);
}

UNIT_MAIN(reset_rwlock, NULL)
