/* SPDX-License-Identifier: MIT */
#include "bench/classics/spin_yield.h"

#include <time.h>

#include "test/support/child.h"
#include "test/support/unit.h"

TEST(words)
{
    classic_spin_yield l = CLASSIC_SPIN_YIELD_INIT;

    classic_spin_yield_lock(&l);
    assert_int_equal(l.word, 1);
    assert_int_equal(classic_spin_yield_trylock(&l), EBUSY);
    assert_int_equal(l.word, 1);
    classic_spin_yield_unlock(&l);
    assert_int_equal(l.word, 0);
    classic_spin_yield_lock_slow_(&l);
    assert_int_equal(l.word, 1);
}

static void lock_and_unlock(void *arg)
{
    classic_spin_yield_lock(arg);
    classic_spin_yield_unlock(arg);
}

/* By its CPU time: many times the 1000 tries after which it yields. */
static bool has_tried_often(void *waiter)
{
    enum { ENOUGH_NS = 5000000 };
    struct timespec used;
    clockid_t clock;

    return clock_getcpuclockid(*(pid_t *)waiter, &clock) == 0 && clock_gettime(clock, &used) == 0 &&
           (used.tv_sec > 0 || used.tv_nsec >= ENOUGH_NS);
}

TEST(a_waiter_yields_until_it_is_free)
{
    classic_spin_yield *l = share(sizeof *l);

    classic_spin_yield_lock(l);
    pid_t waiter = start(lock_and_unlock, l);
    assert_true(await_condition(has_tried_often, &waiter));
    classic_spin_yield_unlock(l);
    finish(waiter);
    assert_int_equal(l->word, 0);
}

UNIT_MAIN(NULL, NULL)
