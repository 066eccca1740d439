/* SPDX-License-Identifier: MIT */
#include "mutex_words.h"

/* src/thread/mutex.c in a forked child: what the word says of waiters that do not exist there. */

static int reset(void)
{
    reset_mutex();
    fake.fork_generation = 1;
    return 0;
}

/* Words that the child inherits, held by its only thread, and what it leaves when it unlocks. */
TEST(stale_waiters_are_not_woken)
{
    static const struct {
        uint64_t before, after;
        unsigned generation;
    } cases[] = {
        {MINE | FENCED | WAITERS(3), GENERATION(1), 1},
        {MINE | FENCED | WAKING | RETRY | STARVING | WAITERS(3), GENERATION(1), 1},
        {MINE | FENCED | STARVING | WAITERS(3), GENERATION(1), 1},
        {MINE | FENCED | WAKING | WAITERS(5), GENERATION(1), 1},
        {MINE | WAITERS(3), GENERATION(1), 1},
        {MINE | FENCED, GENERATION(1), 1},
        {MINE | FENCED | WAITERS(3) | GENERATION(7), GENERATION(1), 1},
        {MINE, 0, 1},
        {MINE | FENCED | QUEUED | WAITERS(3), GENERATION(1), 1}, /* no operation is in the child */
        {MINE | FENCED | QUEUED, GENERATION(1), 1},
        {MINE | FENCED | WAITERS(1), GENERATION(7), 7}, /* the last fits */
        {MINE | GENERATION(7), GENERATION(7), 7},
        {MINE | FENCED | WAITERS(1), GENERATION(7), 15}, /* of more, the last bits count */
        {MINE | GENERATION(7), GENERATION(7), 15},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        fake.fork_generation = cases[i].generation;
        m.state_ = cases[i].before;
        fw_mutex_unlock(&m);
        assert_word(&m, cases[i].after);
        m.state_ = cases[i].before & ~MINE; /* free, and it is taken */
        fw_mutex_lock(&m);
        assert_word(&m, cases[i].before);
        fw_mutex_unlock_fair(&m);
        assert_word(&m, cases[i].after);
    }
    assert_int_equal(fake.n_calls, 0);
}

TEST(waiters_of_this_generation_are_real)
{
    m.state_ = MINE | FENCED | WAITERS(2) | GENERATION(1);
    fw_mutex_unlock(&m);
    assert_word(&m, FENCED | WAKING | WAITERS(2) | GENERATION(1));
    assert_int_equal(fake.wakes, 1);
}

MEANWHILE(alone_in_the_queue, assert_word(&m, HELD(OWNER) | FENCED | WAITERS(1) | GENERATION(1)))

/* The owner's thread is gone forever, and so are those who waited with it. */
TEST(the_first_to_join_clears_the_stale_waiters)
{
    fw_deadline d = fake_deadline(CLOCK_MONOTONIC, 1000);

    m.state_ = HELD(OWNER) | FENCED | WAKING | RETRY | STARVING | WAITERS(5);
    fake.on_sleep = alone_in_the_queue;
    assert_int_equal(lock_until(&d), ETIMEDOUT);
    assert_word(&m, HELD(OWNER) | FENCED | GENERATION(1));
    assert_int_equal(fake.fences, 1); /* the parent's fence says nothing about the child */
}

/* With a word that says nothing but its generation, plain releases come back in the end. */
TEST(a_child_returns_to_plain_releases)
{
    m.state_ = MINE | GENERATION(1);
    fake.one_in = true;
    fw_mutex_unlock(&m);
    assert_word(&m, 0);
}

/* The receiver is not in this process, and the giver has given: nobody holds the lock. */
TEST(a_pass_that_the_fork_cut_short_is_undone)
{
    const uint64_t passed = HANDOFF(7) | FENCED | WAKING | LATE | WAITERS(2);

    m.state_ = passed;
    assert_int_equal(fw_mutex_trylock(&m), 0);
    assert_word(&m, MINE);
    m.state_ = passed;
    fw_mutex_lock(&m);
    assert_word(&m, MINE);
    m.state_ = passed;
    lock_blocking();
    assert_word(&m, MINE);
    m.state_ = passed | GENERATION(1); /* a pass of this process goes on */
    assert_int_equal(fw_mutex_trylock(&m), EBUSY);
    assert_word(&m, passed | GENERATION(1));
    assert_int_equal(fake.n_calls, 0);
}

UNIT_MAIN(reset, NULL)
