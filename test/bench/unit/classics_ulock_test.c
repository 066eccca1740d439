/* SPDX-License-Identifier: MIT */
#include "bench/classics/ulock.h"

#include "test/support/child.h"
#include "test/support/unit.h"

#define HELD ULOCK_HELD
#define WAITER ULOCK_WAITER

TEST(words)
{
    classic_ulock l = CLASSIC_ULOCK_INIT;

    classic_ulock_lock(&l);
    assert_int_equal(l.word, HELD);
    assert_int_equal(classic_ulock_trylock(&l), EBUSY);
    assert_int_equal(l.word, HELD);
    classic_ulock_unlock(&l);
    assert_int_equal(l.word, ULOCK_FREE);
    classic_ulock_lock_spin(&l, SPIN_PAPER_NS);
    assert_int_equal(l.word, HELD);
    assert_int_equal(l.queue.units, 0);
}

TEST(anybody_takes_a_free_lock_that_is_awaited)
{
    classic_ulock l = {3 * WAITER, {0}};

    assert_int_equal(classic_ulock_trylock(&l), 0);
    assert_int_equal(l.word, HELD + 3 * WAITER);
    classic_ulock_unlock(&l);
    assert_int_equal(l.word, 2 * WAITER);
    classic_ulock_lock(&l);
    assert_int_equal(l.word, HELD + 2 * WAITER);
}

TEST(a_premature_wake_is_absorbed)
{
    classic_ulock l = {HELD + WAITER, {0}}; /* a waiter is counted, and has not come to the queue */

    classic_ulock_unlock(&l);
    assert_int_equal(l.word, ULOCK_FREE);
    assert_int_equal(l.queue.units, KSEM_EARLY);
    classic_ksem_down(&l.queue); /* now it comes, and must not sleep */
    assert_int_equal(l.queue.units, 0);
}

static void lock_and_unlock(void *arg)
{
    classic_ulock_lock(arg);
    classic_ulock_unlock(arg);
}

static void spin_lock_and_unlock(void *arg)
{
    classic_ulock_lock_spin(arg, SPIN_PAPER_NS);
    classic_ulock_unlock(arg);
}

TEST(waiters_are_counted_until_they_are_woken)
{
    classic_ulock *l = share(sizeof *l);

    classic_ulock_lock(l);
    pid_t first = start_asleep(lock_and_unlock, l);
    assert_int_equal(l->word, HELD + WAITER);
    pid_t second = start_asleep(spin_lock_and_unlock, l);
    assert_int_equal(l->word, HELD + 2 * WAITER);
    classic_ulock_unlock(l);
    finish(first);
    finish(second);
    assert_int_equal(l->word, ULOCK_FREE);
    assert_int_equal(l->queue.units, 0);
}

UNIT_MAIN(NULL, NULL)
