/* SPDX-License-Identifier: MIT */
#include "bench/classics/futex.h"

#include "test/support/child.h"
#include "test/support/unit.h"

#define MINUS(n) (0u - (n))

struct fixture {
    classic_futex lock;
    uint32_t entered; /* how many children have had the lock */
    uint32_t seen;    /* the word while a child had it */
    uint32_t go_on;   /* a child that has the lock keeps it until this is set */
};

static struct fixture *fixture_held(void)
{
    struct fixture *a = share(sizeof *a);
    a->lock = (classic_futex)CLASSIC_FUTEX_INIT;
    a->go_on = 1;
    classic_futex_down(&a->lock);
    return a;
}

static void inside(struct fixture *a)
{
    a->seen = a->lock.count;
    sc_fetch_add(&a->entered, 1);
    while (sc_load(&a->go_on) == 0)
        word_sleep(&a->go_on, 0, CLASSIC_SHARED);
}

static void down_and_up(void *arg)
{
    struct fixture *a = arg;
    classic_futex_down(&a->lock);
    inside(a);
    classic_futex_up(&a->lock);
}

static void spin_and_up_fair(void *arg)
{
    struct fixture *a = arg;
    classic_futex_down_spin(&a->lock, SPIN_PAPER_NS);
    inside(a);
    classic_futex_up_fair(&a->lock);
}

TEST(words)
{
    classic_futex f = CLASSIC_FUTEX_INIT;

    assert_int_equal(f.count, 1);
    classic_futex_down(&f);
    assert_int_equal(f.count, 0);
    assert_int_equal(classic_futex_trydown(&f), EBUSY);
    assert_int_equal(f.count, 0);
    classic_futex_up(&f);
    assert_int_equal(f.count, 1);
    classic_futex_down_spin(&f, SPIN_PAPER_NS);
    assert_int_equal(f.count, 0);
    classic_futex_up_fair(&f);
    assert_int_equal(f.count, 1);
}

TEST(up_frees_a_contended_lock)
{
    classic_futex f = {MINUS(3), CLASSIC_SHARED};

    classic_futex_up(&f);
    assert_int_equal(f.count, 1);
}

TEST(up_fair_that_meets_nobody_frees_the_lock)
{
    classic_futex f = {MINUS(3), CLASSIC_SHARED};

    classic_futex_up_fair(&f);
    assert_int_equal(f.count, 1);
}

TEST(who_has_slept_leaves_the_word_contended)
{
    struct fixture *a = fixture_held();

    pid_t first = start_asleep(down_and_up, a);
    assert_int_equal(a->lock.count, MINUS(1));
    pid_t second = start_asleep(down_and_up, a);
    classic_futex_up(&a->lock);
    finish(first);
    finish(second);
    assert_int_equal(a->seen, MINUS(1));
    assert_int_equal(a->lock.count, 1);
}

TEST(up_fair_passes_the_lock)
{
    struct fixture *a = fixture_held();

    a->go_on = 0;
    pid_t waiter = start_asleep(spin_and_up_fair, a);
    classic_futex_up_fair(&a->lock);
    assert_int_equal(classic_futex_trydown(&a->lock), EBUSY); /* passed, or claimed already */
    sc_store(&a->go_on, 1);
    word_wake_one(&a->go_on, CLASSIC_SHARED);
    finish(waiter);
    assert_int_equal(a->seen, MINUS(1));
    assert_int_equal(a->lock.count, 1);
}

TEST(a_pass_that_newcomers_have_decremented_is_claimed)
{
    struct fixture *a = fixture_held();

    pid_t waiter = start_asleep(down_and_up, a);
    sc_store(&a->lock.count, FUTEX_PASSED - 2);
    assert_true(word_wake_one(&a->lock.count, CLASSIC_SHARED));
    finish(waiter);
    assert_int_equal(a->seen, MINUS(1));
}

TEST(a_wake_without_a_release_changes_nothing)
{
    struct fixture *a = fixture_held();

    pid_t waiter = start_asleep(down_and_up, a);
    assert_true(word_wake_one(&a->lock.count, CLASSIC_SHARED));
    await_child_asleep(waiter);
    assert_int_equal(a->entered, 0);
    assert_int_equal(a->lock.count, MINUS(1));
    classic_futex_up(&a->lock);
    finish(waiter);
}

/* Two wakes, one of them late, and one pass: without the second repair both would have the lock. */
TEST(one_pass_is_claimed_by_one)
{
    struct fixture *a = fixture_held();

    a->go_on = 0;
    pid_t first = start_asleep(down_and_up, a);
    pid_t second = start_asleep(down_and_up, a);
    sc_store(&a->lock.count, FUTEX_PASSED);
    assert_int_equal(fw_futex_wake(&a->lock.count, 2, FW_FUTEX_SHARED), 2);
    await_child_asleep(first); /* one in the lock, one at it */
    await_child_asleep(second);
    assert_int_equal(sc_load(&a->entered), 1);
    assert_int_equal(sc_load(&a->lock.count), MINUS(1));
    sc_store(&a->go_on, 1);
    word_wake_one(&a->go_on, CLASSIC_SHARED);
    finish(first);
    finish(second);
    assert_int_equal(a->entered, 2);
}

UNIT_MAIN(NULL, NULL)
