/* SPDX-License-Identifier: MIT */
#include "brlock_word.h"

/* fw_brlock, step by step: which reader is counted where, and what a writer does about it. */

TEST(the_lock_has_what_the_kernel_offers)
{
    assert_int_equal(lock.counters_, 4);
    assert_int_equal(lock.lines_->stripes, 1);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal((uintptr_t)counter_at(&lock, i) % 64, 0);
        assert_int_equal(counter(i), 0);
    }
    check_at_rest();
    fw_brlock_destroy(&lock);
    assert_null(lock.lines_);

    begin_with(0);
    assert_int_equal(lock.counters_, 0);
    assert_int_equal(lock.lines_->stripes, 8);
    check_at_rest();
    free(lock.lines_);
    fake_percpu.cpus = 1000;
    fw_brlock_init(&lock);
    assert_int_equal(lock.lines_->stripes, BRLOCK_STRIPES_MAX);
}

TEST(a_reader_counts_where_it_runs)
{
    fw_brlock_rdlock(&lock);
    fake_percpu.here = 2;
    assert_int_equal(fw_brlock_tryrdlock(&lock), 0);
    assert_true(counter(0) == 1 && counter(2) == 1 && stripe(0) == 0);
    fake_percpu.here = 3;
    fw_brlock_rdunlock(&lock);
    assert_true(counter(3) == UINT32_MAX);
    fw_brlock_rdunlock(&lock);
    check_at_rest();
    assert_int_equal(fake.n_calls, 0);
}

TEST(what_no_sequence_can_do_is_counted_in_the_stripe)
{
    fake_percpu.aborts = 1;
    fw_brlock_rdlock(&lock);
    assert_int_equal(stripe(0), BRLOCK_READER);
    fw_brlock_rdunlock(&lock); /* in, by one way, and out by the other */
    assert_true(counter(0) == UINT32_MAX && stripe(0) == BRLOCK_READER);
    fake_percpu.here = 4; /* a processor that was not there */
    fw_brlock_rdlock(&lock);
    fw_brlock_rdunlock(&lock);
    check_at_rest();
    fake_percpu.here = 0;
    fw_brlock_wrlock(&lock); /* the two cancel: nobody is inside */
    assert_int_equal(stripe(0), BRLOCK_CLOSED);
    assert_int_equal(fake.waits, 0);
    fw_brlock_wrunlock(&lock);
    check_at_rest();
}

TEST(a_writer_closes_and_fences)
{
    fw_brlock_wrlock(&lock);
    assert_int_equal(lock.owner_, FAKE_ID(FAKE_SELF));
    assert_int_equal(stripe(0), BRLOCK_CLOSED);
    assert_int_equal(fake.fences, 1);
    assert_int_equal(fw_brlock_owner(&lock), FAKE_SELF);
    fake_as(OTHER);
    assert_int_equal(fw_brlock_tryrdlock(&lock), EBUSY);
    assert_int_equal(fw_brlock_trywrlock(&lock), EBUSY);
    assert_int_equal(fake.fences, 1);
    fake_as(FAKE_SELF);
    fw_brlock_wrunlock(&lock);
    check_at_rest();
    assert_int_equal(fw_brlock_owner(&lock), 0);
    assert_int_equal(fake.wakes, 0);
}

TEST(a_fence_without_memory_is_tried_again)
{
    fake_percpu.busy = 3;
    fw_brlock_wrlock(&lock);
    assert_int_equal(fake.fences, 1);
    assert_non_null(fake_nth(FAKE_WAIT, 2));
    assert_null(fake_nth(FAKE_WAIT, 3));
    fw_brlock_wrunlock(&lock);
}

TEST(a_refused_fence_stops_the_writer)
{
    fake.fence_result = -EPERM;
    FAKE_EXPECT_PANIC(fw_brlock_wrlock(&lock));
    assert_int_equal(fake.panic_error, EPERM);
}

/* On the way out of a section, a reader that the fence met has closed its own door. */
static void enter_and_leave_too_late(void)
{
    fake_as(THIRD);
    assert_int_equal(fw_brlock_tryrdlock(&lock), EBUSY);
    fake_percpu.here = 1;
    fw_brlock_rdunlock(&lock); /* one of two: counted in the stripe from now on */
    assert_true(counter(1) == 1 && stripe(0) == -BRLOCK_READER);
}

static int last_reader_leaves(struct fake_call *call)
{
    assert_ptr_equal(call->word, &lock.lines_->stripe[0].word);
    assert_int_equal(call->expected, BRLOCK_READER | BRLOCK_CLOSED);
    fake_as(OTHER);
    fw_brlock_rdunlock(&lock);
    return FAKE_COMPARE;
}

TEST(readers_inside_are_moved_and_the_last_wakes_the_writer)
{
    fw_brlock_rdlock(&lock);
    fake_percpu.here = 1;
    fw_brlock_rdlock(&lock);
    fake.on_fence = enter_and_leave_too_late;
    fake.on_sleep = last_reader_leaves;
    fw_brlock_wrlock(&lock);
    assert_true(counter(0) == 0 && counter(1) == 0);
    assert_int_equal(stripe(0), BRLOCK_CLOSED);
    assert_int_equal(fake.waits, 1);
    assert_int_equal(fake.wakes, 1);
    fw_brlock_wrunlock(&lock);
    check_at_rest();
}

static int only_the_last_wakes(struct fake_call *call)
{
    (void)call;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(fake.wakes, 0);
        AS(OTHER, fw_brlock_rdunlock(&lock));
    }
    assert_int_equal(fake.wakes, 1);
    return FAKE_COMPARE;
}

TEST(other_readers_wake_nobody)
{
    for (int i = 0; i < 3; i++)
        fw_brlock_rdlock(&lock);
    fake.on_sleep = only_the_last_wakes;
    fw_brlock_wrlock(&lock);
    fw_brlock_wrunlock(&lock);
    check_at_rest();
}

BOTH(a_writer_that_gives_up_opens_again)
{
    fw_deadline soon = fake_deadline(CLOCK_MONOTONIC, 1000000);
    fw_deadline past = fake_deadline(CLOCK_MONOTONIC, -1);
    fw_deadline wrong = {.clock = CLOCK_PROCESS_CPUTIME_ID};

    assert_int_equal(fw_brlock_timedwrlock(&lock, &wrong), 0); /* nothing to wait for */
    fw_brlock_wrunlock(&lock);
    fw_brlock_rdlock(&lock);
    assert_int_equal(fw_brlock_timedwrlock(&lock, &wrong), EINVAL);
    assert_int_equal(fw_brlock_timedwrlock(&lock, &past), ETIMEDOUT);
    assert_int_equal(fw_brlock_timedwrlock(&lock, &soon), ETIMEDOUT);
    assert_int_equal(fw_brlock_trywrlock(&lock), EBUSY);
    assert_int_equal(fw_brlock_tryrdlock(&lock), 0); /* it is open */
    fw_brlock_rdunlock(&lock);
    fw_brlock_rdunlock(&lock);
    check_at_rest();
    assert_int_equal(fw_brlock_trywrlock(&lock), 0);
    fw_brlock_wrunlock(&lock);
}

static void slip_in(void)
{
    AS(OTHER, fw_brlock_rdunlock(&lock));
}

TEST(trywrlock_looks_before_and_after_it_closes)
{
    fw_brlock_rdlock(&lock);
    assert_int_equal(fw_brlock_trywrlock(&lock), EBUSY);
    assert_int_equal(fake.fences, 0);
    /* One is inside, and one who should not is about to leave: the first look sees nobody. */
    fake_percpu.here = 1;
    *counter_at(&lock, 1) = UINT32_MAX;
    fake.on_fence = slip_in;
    assert_int_equal(fw_brlock_trywrlock(&lock), EBUSY);
    assert_int_equal(fake.fences, 1);
    assert_int_equal(lock.owner_, BRLOCK_SHARING);
    assert_int_equal(fw_mutex_owner(&lock.lines_->writers), 0);
}

/* --- Readers that share the stripe, until enough have come ------------------------------------ */

static void read_once(void)
{
    fw_brlock_rdlock(&lock);
    fw_brlock_rdunlock(&lock);
}

NEW(writers_without_readers_need_no_fence)
{
    for (int i = 0; i < 3; i++) {
        fw_brlock_wrlock(&lock);
        assert_int_equal(lock.owner_, FAKE_ID(FAKE_SELF));
        assert_int_equal(stripe(0), BRLOCK_CLOSED);
        AS(OTHER, assert_int_equal(fw_brlock_tryrdlock(&lock), EBUSY));
        fw_brlock_wrunlock(&lock);
        assert_int_equal(fw_brlock_owner(&lock), 0);
        assert_int_equal(fw_brlock_trywrlock(&lock), 0);
        fw_brlock_wrunlock(&lock);
        check_at_rest();
    }
    assert_int_equal(fake.fences, 0);
    fw_brlock_destroy(&lock);
}

NEW(the_first_readers_share_the_stripe)
{
    fw_brlock_rdlock(&lock);
    assert_int_equal(stripe(0), BRLOCK_READER);
    assert_int_equal(fw_brlock_trywrlock(&lock), EBUSY);
    fake.on_sleep = last_reader_leaves;
    fw_brlock_wrlock(&lock); /* waits for it */
    assert_int_equal(fake.waits, 1);
    assert_int_equal(fake.fences, 0);
    fw_brlock_wrunlock(&lock);
    check_at_rest();
}

NEW(once_enough_have_come_readers_use_the_counters)
{
    for (unsigned i = 1; i < BRLOCK_ENOUGH; i++)
        read_once();
    assert_int_equal(lock.owner_, BRLOCK_SHARING);
    fw_brlock_rdlock(&lock); /* in by the stripe, as the last one */
    assert_int_equal(lock.owner_, 0);
    assert_int_equal(stripe(0), BRLOCK_READER);
    fw_brlock_rdlock(&lock);
    assert_int_equal(counter(0), 1);
    fw_brlock_rdunlock(&lock);
    fw_brlock_rdunlock(&lock);
    check_at_rest();

    fw_brlock_wrlock(&lock); /* and then a writer needs a fence, the next one does not */
    fw_brlock_wrunlock(&lock);
    assert_int_equal(fake.fences, 1);
    read_once();
    fw_brlock_wrlock(&lock);
    fw_brlock_wrunlock(&lock);
    assert_int_equal(fake.fences, 1);
    for (unsigned i = 0; i < BRLOCK_ENOUGH; i++) { /* they are counted anew after a writer */
        assert_int_equal(lock.owner_, BRLOCK_SHARING);
        read_once();
    }
    assert_int_equal(lock.owner_, 0);
}

STRIPED(there_is_nothing_to_learn)
{
    assert_int_equal(lock.owner_, 0);
    fw_brlock_wrlock(&lock);
    fw_brlock_wrunlock(&lock);
    assert_int_equal(lock.owner_, 0);
}

STRIPED(a_thread_keeps_to_its_stripe)
{
    unsigned mine = FAKE_SELF % 8, others = OTHER % 8 + 1;

    fake_as(OTHER + 1);
    fw_brlock_rdlock(&lock);
    fake_as(FAKE_SELF);
    fake_percpu.here = 2;
    fw_brlock_rdlock(&lock);
    assert_int_equal(stripe(mine), BRLOCK_READER);
    assert_int_equal(stripe(others), BRLOCK_READER);
    fake_percpu.here = 3;
    fw_brlock_rdunlock(&lock);
    assert_int_equal(stripe(mine), 0);
    assert_int_equal(fw_brlock_trywrlock(&lock), EBUSY);
    fake_as(OTHER + 1);
    fw_brlock_rdunlock(&lock);
    check_at_rest();
    fw_brlock_wrlock(&lock);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(stripe(i), BRLOCK_CLOSED);
    assert_int_equal(fake.fences, 0);
    fw_brlock_wrunlock(&lock);
    check_at_rest();
}

UNIT_MAIN(begin, end)
