/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "cond_shared.h"
#include "fake.h"
#include "sem_word.h"
#include "test/support/unit.h"

/*
 * posix/sem_shared.c and cond_shared.c with the fake kernel: which calls are made.  Their protocols
 * are fw-model's (posix-sem, posix-cond).
 */

static struct fw_posix_sem_ s;
static struct fw_shared_cond_ c;
static bool held;

static int reset(void)
{
    fake_reset();
    memset(&s, 0, sizeof s);
    s.shared = FW_SEM_SHARED_;
    s.spin = 1000; /* no spinning */
    fw_shared_cond_init_(&c);
    held = true;
    return 0;
}

/* --- Semaphores ----------------------------------------------------------------------------- */

TEST(units_come_and_go)
{
    assert_false(fw_sem_shared_take_(&s));
    assert_true(fw_sem_shared_post_(&s));
    assert_true(fw_sem_shared_post_(&s));
    assert_int_equal(s.state, 2);
    assert_int_equal(s.guess, 2);
    assert_true(fw_sem_shared_take_(&s));
    assert_int_equal(fw_sem_shared_wait_(&s, NULL), 0);
    assert_int_equal(s.state, 0);
    assert_int_equal(fake.n_calls, 0);
}

TEST(the_maximum_stays)
{
    s.state = FW_SEM_VALUE_MAX_ + 3 * SHARED_WAITER_;
    assert_false(fw_sem_shared_post_(&s));
    assert_int_equal(s.state, FW_SEM_VALUE_MAX_ + 3 * SHARED_WAITER_);
    assert_int_equal(fake.wakes, 0);
}

TEST(a_foreign_change_is_noticed)
{
    s.state = 5;
    s.guess = 3; /* a process without this library does not keep it */
    assert_false(fw_posix_sem_take_(&s));
    assert_true(fw_sem_shared_take_(&s));
    assert_int_equal(s.state, 4);
    assert_true(fw_posix_sem_add_(&s));
    assert_true(fw_posix_sem_take_(&s));
    s.guess = 9;
    assert_false(fw_posix_sem_add_(&s));
    assert_true(fw_sem_shared_post_(&s));
    assert_int_equal(s.state, 5);
}

static void post_at_the_third_poll(void)
{
    if (fake.pauses == 3)
        assert_true(fw_sem_shared_post_(&s));
}

TEST(polling_saves_the_sleep)
{
    s.spin = 0;
    fake.on_poll = post_at_the_third_poll;
    assert_int_equal(fw_sem_shared_wait_(&s, NULL), 0);
    assert_int_equal(fake.n_calls, 0);
    assert_int_equal(s.spin, 0);
    assert_int_equal(s.state, 0);
}

/* --- Condition variables -------------------------------------------------------------------- */

static int unlock(void *arg)
{
    (void)arg;
    assert_true(held);
    held = false;
    return 0;
}

static int lock(void *arg, bool is_counted)
{
    (void)arg;
    assert_false(held);
    assert_false(is_counted);
    held = true;
    return 0;
}

static const struct fw_cond_mutex_ how = {.unlock = unlock, .lock = lock};

TEST(nobody_waits_and_nothing_happens)
{
    fw_shared_cond_signal_(&c);
    fw_shared_cond_broadcast_(&c);
    assert_int_equal(fake.n_calls, 0);
}

TEST(no_two_begin_alike)
{
    struct fw_shared_cond_ other = {0, 0};

    assert_false(fw_shared_cond_is_ours_(&other));
    fw_shared_cond_init_(&other);
    assert_true(fw_shared_cond_is_ours_(&other));
    assert_int_not_equal(other.word, c.word);
}

/* A wake is lost with a process that was killed, and somebody sets the clock back meanwhile. */
static int lost_with_a_killed_one(struct fake_call *call)
{
    assert_true(call->has_deadline);
    assert_int_equal(call->flags, FW_FUTEX_SHARED);
    if (fake.waits == 2)
        c.word += 4; /* another number */
    return FAKE_COMPARE;
}

TEST(a_lost_wake_is_found_by_a_clock_that_was_set_back)
{
    fw_deadline later = fake_deadline(CLOCK_REALTIME, INT64_C(3600000000000));
    uint64_t start = fake.now_ns;

    fake.on_sleep = lost_with_a_killed_one;
    fake.set_real_by_ns = -INT64_C(86400000000000);
    assert_int_equal(fw_shared_cond_wait_(&c, &how, &later), 0);
    assert_int_equal(fake.waits, 2);
    assert_true(fake.now_ns - start <= UINT64_C(2000000000));
    assert_true(held);
}

static int unmapped(struct fake_call *call)
{
    (void)call;
    return -EFAULT;
}

TEST(memory_that_is_gone_was_signalled)
{
    fake.on_wait = unmapped;
    assert_int_equal(fw_shared_cond_wait_(&c, &how, NULL), 0);
    assert_true(held);
}

UNIT_MAIN(reset, NULL)
