/* SPDX-License-Identifier: MIT */
#include <pthread.h>

#include "core/recheck.h"
#include "fork.h"
#include "stripes.h"

/* atomic/fork.c: what happens to the stripes when a process forks.  Nobody really forks here. */

#define HELD FW_WORD_LOCK_HELD_

static unsigned held_stripes(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < FW_STRIPES_; i++)
        n += fw_word_lock_is_held_(fw_stripes_[i].lock.word);
    return n;
}

TEST(the_parent_takes_all_and_gives_them_back)
{
    for (int round = 0; round < 2; round++) {
        fw_fork_prepare_();
        assert_int_equal(held_stripes(), FW_STRIPES_);
        fw_fork_parent_();
        assert_int_equal(stripes_written(), 0);
    }
    assert_int_equal(fake.n_calls, 0);
}

TEST(the_child_has_all_stripes_free)
{
    fw_fork_prepare_();
    fw_stripes_[1].lock.word = HELD | 3; /* three waited in the parent, and are not here */
    fw_fork_child_();
    assert_int_equal(stripes_written(), 0);
    fw_stripes_[9].lock.word = HELD; /* by one of its threads */
    fw_fork_prepare_();              /* and it can fork, too */
    assert_int_equal(held_stripes(), FW_STRIPES_);
    fw_fork_parent_();
    assert_int_equal(held_stripes(), 1);
    assert_int_equal(fw_stripes_[9].lock.word, HELD);
}

/* Of those who sleep when a fork begins, one becomes the successor: AFORK3. */
static int asleep_when_a_fork_begins(struct fake_call *call)
{
    (void)call;
    fw_stripes_[5].lock.word = 1; /* given back; the release has woken nobody yet */
    fw_fork_prepare_();
    assert_int_equal(fw_stripes_[5].lock.word, HELD | FW_WORD_LOCK_WAKING_ | 1);
    assert_int_equal(fake.wakes, 1);
    return FAKE_COMPARE;
}

TEST(sleepers_get_a_successor)
{
    fw_stripes_[5].lock.word = HELD;
    fake.on_sleep = asleep_when_a_fork_begins;
    fw_stripe_lock_(&fw_stripes_[5]);
    assert_int_equal(fw_stripes_[5].lock.word, HELD); /* from the fork: it is the same thread */
    fw_fork_parent_();
    assert_int_equal(held_stripes(), 1);
    fw_stripe_unlock_(&fw_stripes_[5]);
    assert_int_equal(stripes_written(), 0);
}

static void *lock_the_fifth(void *arg)
{
    (void)arg;
    fw_stripe_lock_(&fw_stripes_[5]);
    return NULL;
}

/* As another thread than that which forks: the fake kernel does not mind. */
static void in_another_thread(void *(*body)(void *))
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, body, NULL), 0);
    pthread_join(thread, NULL);
}

static void a_holder_ends_soon(void)
{
    if (fake.yields == 3)
        fw_word_lock_unlock_(&fw_stripes_[9].lock);
}

TEST(a_holder_is_waited_for)
{
    fw_stripes_[9].lock.word = HELD;
    fake.on_poll = a_holder_ends_soon;
    fw_fork_prepare_();
    assert_int_equal(fake.yields, 3);
    assert_int_equal(held_stripes(), FW_STRIPES_);
    fw_fork_parent_();
    assert_int_equal(stripes_written(), 0);
}

/* Such as the forking thread itself, below a signal handler. */
TEST(a_holder_that_does_not_end_is_not_waited_for_long)
{
    uint64_t began = fake.now_ns;

    fw_stripes_[9].lock.word = HELD;
    fw_stripes_[9].sequence = 1;
    fw_stripes_[10].lock.word = HELD;
    fw_fork_prepare_();
    assert_in_range(fake.now_ns - began, FW_FORK_PATIENCE_NS_, 2 * FW_FORK_PATIENCE_NS_);
    fw_fork_parent_();
    assert_int_equal(held_stripes(), 2); /* whoever holds them still does */
    assert_int_equal(fw_stripes_[9].lock.word, HELD);
    assert_int_equal(fw_stripes_[9].sequence, 1);
}

TEST(the_child_gets_new_what_could_not_be_had)
{
    fw_stripes_[9].lock.word = HELD;
    fw_stripes_[9].sequence = 1;
    fw_fork_prepare_();
    fw_fork_child_();
    assert_int_equal(fw_stripes_[9].lock.word, 0);
    assert_int_equal(fw_stripes_[9].sequence, 2);

    /* The handler returns, and the operation that it interrupted goes on. */
    fw_stripe_end_(&fw_stripes_[9], 0);
    fw_stripe_unlock_(&fw_stripes_[9]);
    assert_int_equal(fw_stripes_[9].lock.word, 0);
    assert_int_equal(fw_stripes_[9].sequence, 2);
}

TEST(alone_nothing_is_taken)
{
    set_multithreaded(false);
    if (&__libc_single_threaded == 0)
        skip();
    fw_fork_prepare_();
    assert_int_equal(held_stripes(), 0);
    fw_fork_parent_();
    fw_stripes_[9].lock.word = HELD;
    fw_stripes_[9].sequence = 3;
    fw_fork_child_();
    assert_int_equal(fw_stripes_[9].lock.word, 0);
    assert_int_equal(fw_stripes_[9].sequence, 4);
}

/*
 * AFORK3: a thread that comes while a fork is under way rechecks, and in the end is given the
 * stripe.
 */
TEST(others_are_not_kept_waiting_for_ever)
{
    fw_fork_prepare_();
    uint64_t began = fake.now_ns;
    in_another_thread(lock_the_fifth);
    assert_int_equal(fw_stripes_[5].lock.word, HELD); /* and has left the count */
    assert_int_equal(fake.waits, FW_FORK_RECHECKS_);
    assert_true(fake.now_ns - began < 2 * FW_FORK_RECHECKS_ * FW_RECHECK_ATOMIC_WOKEN_NS);
    fw_fork_parent_();
    assert_int_equal(held_stripes(), 1); /* it is the other's: AFORK2 */
    fw_stripe_unlock_(&fw_stripes_[5]);
    assert_int_equal(stripes_written(), 0);
    assert_false(fw_fork_is_on_());
}

static int the_fork_is_over(struct fake_call *call)
{
    assert_int_equal(call->expected, HELD | 1);
    if (fake.waits == 3)
        fw_stripe_unlock_(&fw_stripes_[5]); /* as the parent's handler does */
    return FAKE_COMPARE;
}

TEST(others_wait_for_the_fork)
{
    fw_fork_prepare_();
    fake.on_sleep = the_fork_is_over;
    in_another_thread(lock_the_fifth);
    assert_int_equal(fake.waits, 3);
    assert_int_equal(fw_stripes_[5].lock.word, HELD);
    fake.on_sleep = NULL;
    fw_fork_child_();
    assert_int_equal(stripes_written(), 0);
}

/* Before and after a fork others' handlers run, in the thread that holds all stripes. */
TEST(others_handlers_may_use_objects)
{
    fw_fork_prepare_();
    for (int round = 0; round < 2; round++) {
        fw_stripe_lock_(&fw_stripes_[5]);
        assert_int_equal(fw_stripes_[5].lock.word, HELD);
        fw_stripe_unlock_(&fw_stripes_[5]);
        assert_int_equal(fw_stripes_[5].lock.word, 0);
    }
    assert_int_equal(held_stripes(), FW_STRIPES_ - 1);
    fw_fork_parent_();
    assert_int_equal(stripes_written(), 0);
    assert_int_equal(fake.n_calls, 0);
    assert_int_equal(fake.pauses, 0);
}

TEST(only_stripes_are_given)
{
    fw_word_lock another = {HELD};

    assert_false(fw_fork_gives_(&fw_stripes_[5].lock, FW_FORK_RECHECKS_)); /* no fork */
    fw_fork_prepare_();
    assert_false(fw_fork_gives_(&another, FW_FORK_RECHECKS_));
    assert_true(fw_fork_gives_(&fw_stripes_[5].lock, 0));
    assert_false(fw_fork_gives_(&fw_stripes_[5].lock, 0)); /* once */
    fw_fork_child_();
    assert_int_equal(stripes_written(), 0);
}

/* A handler forks inside the prepare handler, or between it and the parent's. */
TEST(a_fork_within_a_fork)
{
    fw_fork_prepare_();
    fw_fork_prepare_();
    fw_fork_parent_();
    assert_int_equal(held_stripes(), FW_STRIPES_);
    fw_fork_parent_();
    assert_int_equal(stripes_written(), 0);
    assert_false(fw_fork_is_on_());
}

TEST(the_child_of_a_fork_within_a_fork)
{
    fw_stripes_[9].lock.word = HELD;
    fw_fork_prepare_();
    fw_stripes_[5].lock.word += 3;
    fw_fork_prepare_();
    fw_fork_child_();
    assert_int_equal(held_stripes(), FW_STRIPES_ - 1); /* the child goes on with the outer fork */
    assert_int_equal(fw_stripes_[5].lock.word, HELD);
    assert_int_equal(fw_stripes_[9].lock.word, 0);
    fw_fork_parent_();
    assert_int_equal(stripes_written(), 0);
}

UNIT_MAIN(fresh_stripes, NULL)
