/* SPDX-License-Identifier: MIT */
#include "mutex_words.h"

/*
 * src/thread/mutex.c, waiting: joining, fencing, losing, giving up, and passing the lock to those
 * who starve.  What all calls that wait have in common: waits_test.c.
 */

/* What the sleep of a queued waiter must look like. */
static void assert_sleep(const struct fake_call *call, uint64_t word, uint32_t bits)
{
    assert_word(&m, word);
    assert_ptr_equal(call->word, upper_half(&m));
    assert_int_equal(call->expected, word >> 32);
    assert_int_equal(call->bits, bits);
    assert_int_equal(call->flags, FW_FUTEX_PRIVATE);
}

static void fence_sees_the_waiter(void)
{
    assert_word(&m, HELD(OWNER) | WAITERS(1));
}

static int owner_leaves(struct fake_call *call)
{
    assert_sleep(call, HELD(OWNER) | FENCED | WAITERS(1), MUTEX_CLASS_NEW);
    AS(OWNER, fw_mutex_unlock(&m));
    assert_word(&m, FENCED | WAKING | WAITERS(1));
    return FAKE_COMPARE;
}

TEST(joins_fences_once_sleeps_and_takes)
{
    for (int is_fenced = 0; is_fenced < 2; is_fenced++) {
        fake_reset();
        m.state_ = HELD(OWNER) | (is_fenced ? FENCED : 0);
        fake.on_fence = fence_sees_the_waiter;
        fake.on_sleep = owner_leaves;
        lock_blocking();
        assert_word(&m, MINE | FENCED);
        assert_int_equal(fake.fences, !is_fenced);
        assert_int_equal(fake.waits, 1);
        assert_int_equal(fake.wakes, 1);
    }
}

static void owner_leaves_during_the_fence(void)
{
    AS(OWNER, fw_mutex_unlock(&m));
}

TEST(a_release_during_the_fence_saves_the_sleep)
{
    m.state_ = HELD(OWNER);
    fake.on_fence = owner_leaves_during_the_fence;
    lock_blocking();
    assert_word(&m, MINE | FENCED);
    assert_int_equal(fake.waits, 0);
}

/* Others are asleep and awake as well; the word says what is needed of each sleep. */
static int an_urgent_one_loses_races(struct fake_call *call)
{
    assert_sleep(call, HELD(OWNER) | FENCED | URGENT | WAITERS(2), MUTEX_CLASS_NEW);
    assert_false(call->has_deadline); /* no bounded wait */
    if (fake.waits < 6)
        return FAKE_SPURIOUS;
    AS(OWNER, fw_mutex_unlock(&m));
    assert_word(&m, FENCED | WAKING | WAITERS(2));
    return FAKE_COMPARE;
}

TEST(a_real_time_thread_sleeps_without_bound)
{
    m.state_ = HELD(OWNER) | FENCED | WAITERS(1);
    fake.urgency = 20;
    fake.on_sleep = an_urgent_one_loses_races;
    lock_blocking();
    assert_word(&m, MINE | FENCED | URGENT | WAITERS(1)); /* the other may be one, too */
}

/* The owner takes the lock again before each sleep: the word has changed. */
static int owner_comes_back(struct fake_call *call)
{
    if (fake.waits <= 3) {
        assert_false(call->has_deadline);
        AS(OWNER, fw_mutex_unlock(&m));
        AS(OWNER, fw_mutex_lock(&m));
        return FAKE_COMPARE;
    }
    assert_sleep(call, HELD(OWNER) | FENCED | WAKING | RETRY | WAITERS(1), MUTEX_CLASS_RETRY);
    assert_true(call->has_deadline);
    AS(OWNER, fw_mutex_unlock(&m));
    return FAKE_SPURIOUS;
}

TEST(after_three_refused_sleeps_a_waiter_vouches)
{
    m.state_ = HELD(OWNER) | FENCED;
    fake.on_sleep = owner_comes_back;
    lock_blocking();
    assert_word(&m, MINE | FENCED);
    assert_int_equal(fake.waits, 4);
}

static int owner_leaves_one_that_vouches(struct fake_call *call)
{
    assert_sleep(call, HELD(OWNER) | FENCED | WAKING | RETRY | WAITERS(2), MUTEX_CLASS_NEW);
    assert_false(call->has_deadline);
    AS(OWNER, fw_mutex_unlock(&m));
    assert_int_equal(fake.wakes, 0);
    return FAKE_SPURIOUS;
}

TEST(others_sleep_for_good_while_one_vouches)
{
    m.state_ = HELD(OWNER) | FENCED | WAKING | RETRY | WAITERS(1);
    fake.on_sleep = owner_leaves_one_that_vouches;
    lock_blocking();
    assert_word(&m, MINE | FENCED | WAKING | RETRY | WAITERS(1)); /* the flags are the other's */
    assert_int_equal(fake.waits, 1);
}

TEST(unfenced_sleeps_are_short)
{
    fw_deadline d = fake_deadline(CLOCK_MONOTONIC, 2500000);
    uint64_t start = fake.now_ns;

    m.state_ = HELD(OWNER);
    fake.fence_result = -EPERM;
    assert_int_equal(lock_until(&d), ETIMEDOUT);
    assert_word(&m, HELD(OWNER));
    assert_true(fake.waits >= 3);
    assert_int_equal(fake.fences, fake.waits); /* it asks again: the answer may change */
    for (unsigned i = 0; i < fake.waits; i++) {
        const struct fake_call *sleep = fake_nth(FAKE_WAIT, i);

        assert_true(sleep->has_deadline);
        assert_int_equal(sleep->deadline.clock, CLOCK_MONOTONIC);
        assert_int_equal(sleep->expected & (FENCED >> 32), 0);
    }
    assert_int_equal(fake.now_ns - start, 2500000);
}

TEST(giving_up_leaves_no_trace)
{
    static const struct {
        uint64_t before, after;
    } cases[] = {
        {HELD(OWNER), HELD(OWNER) | FENCED},
        {HELD(OWNER) | FENCED | WAITERS(2), HELD(OWNER) | FENCED | WAITERS(2)},
        {HELD(OWNER) | FENCED | RETRY | STARVING | WAITERS(2),
         HELD(OWNER) | FENCED | RETRY | STARVING | WAITERS(2)},
        /* A needless wake at the next release is legal, a lost one is not. */
        {HELD(OWNER) | FENCED | WAKING | WAITERS(2), HELD(OWNER) | FENCED | WAITERS(2)},
        {UNSIGNED | FENCED | WAITERS(1), UNSIGNED | FENCED | WAITERS(1)},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        fw_deadline d;

        fake_reset();
        d = fake_deadline(CLOCK_MONOTONIC, 5000);
        m.state_ = cases[i].before;
        assert_int_equal(lock_until(&d), ETIMEDOUT);
        assert_word(&m, cases[i].after);
        assert_int_equal(fake.waits, 1);
        assert_int_equal(fake.wakes, 0);
    }
}

static int lost_then_over(struct fake_call *call)
{
    if (fake.waits > 1) {
        assert_sleep(call, HELD(OTHER) | FENCED | RETRY | WAITERS(2), MUTEX_CLASS_RETRY);
        return FAKE_COMPARE;
    }
    AS(OWNER, fw_mutex_unlock(&m));
    AS(OTHER, fw_mutex_lock(&m));
    return FAKE_COMPARE;
}

TEST(an_old_waiter_takes_its_flags_with_it)
{
    fw_deadline d = fake_deadline(CLOCK_MONOTONIC, 5000);

    m.state_ = HELD(OWNER) | FENCED | WAITERS(1);
    fake.on_sleep = lost_then_over;
    /* The fake wakes the only sleeper that it has; the other one of the word is imagined. */
    assert_int_equal(lock_until(&d), ETIMEDOUT);
    assert_word(&m, HELD(OTHER) | FENCED | WAITERS(1));
}

static unsigned pauses_at_sleep[3];

static int lose_once(struct fake_call *call)
{
    (void)call;
    pauses_at_sleep[fake.waits] = fake.pauses;
    AS(fake.waits == 1 ? OWNER : OTHER, fw_mutex_unlock(&m));
    if (fake.waits == 1)
        AS(OTHER, fw_mutex_lock(&m));
    return FAKE_COMPARE;
}

TEST(a_woken_waiter_spins_again)
{
    static const fw_wait_policy p = {FW_WAIT_SPIN_THEN_BLOCK, 3000};

    m.state_ = HELD(OWNER) | FENCED;
    fake.on_sleep = lose_once;
    assert_int_equal(fw_mutex_lock_policy(&m, &p, NULL), 0);
    assert_int_equal(fake.waits, 2);
    assert_in_range(pauses_at_sleep[1], 300, 610); /* of 10 ns each */
    assert_true(pauses_at_sleep[2] >= pauses_at_sleep[1] + 300);
}

/* A waiter that loses again and again: how late it is at each sleep, and what it then asks for. */
static uint64_t patience_ns;

static int loses_for_some_time(struct fake_call *call)
{
    (void)call;
    if (fake.waits == 2) {
        assert_word(&m, HELD(OTHER) | FENCED | RETRY | WAITERS(1));
        fake.now_ns += patience_ns;
    }
    AS(fake.waits == 1 ? OWNER : OTHER, fw_mutex_unlock(&m));
    if (fake.waits <= 2)
        AS(OTHER, fw_mutex_lock(&m));
    return FAKE_COMPARE;
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
        AS(OWNER, fw_mutex_unlock(&m));
}

/* Those who never sleep are queued after half a millisecond all the same. */
TEST(a_starving_spinner_asks_too)
{
    static const fw_wait_kind kinds[] = {FW_WAIT_SPIN, FW_WAIT_YIELD};

    for (unsigned i = 0; i < 2; i++) {
        fw_wait_policy p = {kinds[i], 0};

        reset_mutex();
        m.state_ = HELD(OWNER);
        fake.pause_ns = fake.yield_ns = 10000;
        fake.on_poll = ask_then_release;
        assert_int_equal(fw_mutex_lock_policy(&m, &p, NULL), 0);
        assert_word(&m, MINE);
        assert_int_equal(fake.next_serial, FIRST_SERIAL + 1);
        assert_int_equal(fake.waits, 0);
    }
}

static unsigned turns; /* how often the lock has passed to another thread */

static void another_takes_it(void)
{
    m.state_ = with_owner(m.state_, FAKE_ID(OWNER + ++turns));
}

static int the_last_one_leaves(struct fake_call *call)
{
    (void)call;
    AS(OWNER + turns, fw_mutex_unlock(&m));
    return FAKE_COMPARE;
}

/* Where the lock goes round among others, a waiter does not poll for all of its budget. */
TEST(a_waiter_that_sees_many_turns_sleeps)
{
    static const fw_wait_policy patient = {FW_WAIT_SPIN_THEN_BLOCK, 7000};

    fake.on_sleep = the_last_one_leaves;
    for (int is_patient = 0; is_patient < 2; is_patient++) {
        turns = 0;
        m.state_ = HELD(OWNER) | FENCED;
        fake.on_poll = another_takes_it;
        assert_int_equal(fw_mutex_lock_policy(&m, is_patient ? &patient : NULL, NULL), 0);
        assert_word(&m, MINE | FENCED);
        if (is_patient)
            assert_true(turns > 100);
        else
            assert_int_equal(turns, 4);
    }
}

static unsigned looks;

/* A thread that has just taken it, and has not said yet who it is, is no other one. */
static void the_same_one_takes_it_again(void)
{
    looks++;
    m.state_ = with_owner(m.state_, looks % 2 == 0 ? FAKE_ID(OWNER) : 1);
}

static int it_leaves(struct fake_call *call)
{
    (void)call;
    m.state_ = with_owner(m.state_, FAKE_ID(OWNER));
    AS(OWNER, fw_mutex_unlock(&m));
    return FAKE_COMPARE;
}

TEST(one_that_comes_again_and_again_is_no_other)
{
    looks = 0;
    m.state_ = HELD(OWNER) | FENCED;
    fake.on_poll = the_same_one_takes_it_again;
    fake.on_sleep = it_leaves;
    fw_mutex_lock(&m);
    assert_word(&m, MINE | FENCED);
    assert_true(looks > 100);
}

/* Unless it knows that its owner runs. */
TEST(who_knows_that_the_owner_runs_polls_on)
{
    turns = 0;
    m.state_ = HELD(OWNER) | FENCED;
    fake.running = FW_RUNNING_YES;
    fake.on_poll = another_takes_it;
    fake.on_sleep = the_last_one_leaves;
    fw_mutex_lock(&m);
    assert_true(turns > 100);
}

/* Somebody was woken and does not get to run: the others are not to wait for that forever. */
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

UNIT_MAIN(reset_mutex, NULL)
