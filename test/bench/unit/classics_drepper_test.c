/* SPDX-License-Identifier: MIT */
#include "bench/classics/drepper.h"

#include "test/support/child.h"
#include "test/support/unit.h"

TEST(words)
{
    classic_drepper l = CLASSIC_DREPPER_INIT;

    classic_drepper_lock(&l);
    assert_int_equal(l.word, 1);
    assert_int_equal(classic_drepper_trylock(&l), EBUSY);
    assert_int_equal(l.word, 1);
    classic_drepper_unlock(&l);
    assert_int_equal(l.word, 0);
    assert_int_equal(classic_drepper_trylock(&l), 0);
    assert_int_equal(l.word, 1);
}

TEST(an_awaited_lock_is_freed)
{
    classic_drepper l = {DREPPER_AWAITED, CLASSIC_SHARED};

    assert_int_equal(classic_drepper_trylock(&l), EBUSY);
    assert_int_equal(l.word, 2);
    classic_drepper_unlock(&l);
    assert_int_equal(l.word, 0);
}

TEST(the_slow_lock_takes_a_free_lock_as_awaited)
{
    classic_drepper l = CLASSIC_DREPPER_INIT;

    classic_drepper_lock_slow_(&l, DREPPER_HELD); /* it was held, and is no longer */
    assert_int_equal(l.word, 2);
    classic_drepper_unlock(&l);
    assert_int_equal(l.word, 0);
}

struct fixture {
    classic_drepper lock;
    uint32_t seen; /* the word while the child had the lock */
};

static void lock_and_unlock(void *arg)
{
    struct fixture *a = arg;
    classic_drepper_lock(&a->lock);
    a->seen = a->lock.word;
    classic_drepper_unlock(&a->lock);
}

TEST(who_has_slept_keeps_the_duty_to_wake)
{
    struct fixture *a = share(sizeof *a);

    classic_drepper_lock(&a->lock);
    pid_t first = start_asleep(lock_and_unlock, a);
    pid_t second = start_asleep(lock_and_unlock, a);
    assert_int_equal(a->lock.word, 2);
    classic_drepper_unlock(&a->lock); /* wakes one of two */
    finish(first);
    finish(second);
    assert_int_equal(a->seen, 2);
    assert_int_equal(a->lock.word, 0);
}

UNIT_MAIN(NULL, NULL)
