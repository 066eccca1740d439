/* SPDX-License-Identifier: MIT */
#include "bench/classics/ulock_fair.h"

#include "test/support/child.h"
#include "test/support/unit.h"

#define MINUS(n) (0u - (n))

TEST(words)
{
    classic_ulock_fair l = CLASSIC_ULOCK_FAIR_INIT;

    assert_int_equal(l.status, 1);
    classic_ulock_fair_lock(&l);
    assert_int_equal(l.status, 0);
    assert_int_equal(classic_ulock_fair_trylock(&l), EBUSY);
    assert_int_equal(l.status, 0);
    classic_ulock_fair_unlock(&l);
    assert_int_equal(l.status, 1);
    classic_ulock_fair_lock_spin(&l, SPIN_PAPER_NS);
    assert_int_equal(l.status, 0);
    assert_int_equal(l.queue.units, 0);
}

TEST(a_premature_grant_is_absorbed)
{
    classic_ulock_fair l = {MINUS(1), {0}}; /* a waiter is counted, and has not come to the queue */

    classic_ulock_fair_unlock(&l);
    assert_int_equal(l.status, 0); /* granted, not free */
    assert_int_equal(classic_ulock_fair_trylock(&l), EBUSY);
    assert_int_equal(l.queue.units, KSEM_EARLY);
    classic_ksem_down(&l.queue); /* now it comes, and must not sleep */
    assert_int_equal(l.queue.units, 0);
}

static void lock_and_unlock(void *arg)
{
    classic_ulock_fair_lock(arg);
    classic_ulock_fair_unlock(arg);
}

static void spin_lock_and_unlock(void *arg)
{
    classic_ulock_fair_lock_spin(arg, SPIN_PAPER_NS);
    classic_ulock_fair_unlock(arg);
}

TEST(waiters_are_counted)
{
    classic_ulock_fair *l = share(sizeof *l);
    *l = (classic_ulock_fair)CLASSIC_ULOCK_FAIR_INIT;

    classic_ulock_fair_lock(l);
    pid_t first = start_asleep(lock_and_unlock, l);
    assert_int_equal(l->status, MINUS(1));
    pid_t second = start_asleep(spin_lock_and_unlock, l);
    assert_int_equal(l->status, MINUS(2));
    classic_ulock_fair_unlock(l);
    finish(first);
    finish(second);
    assert_int_equal(l->status, 1);
    assert_int_equal(l->queue.units, 0);
}

UNIT_MAIN(NULL, NULL)
