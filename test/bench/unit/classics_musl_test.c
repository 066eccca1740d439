/* SPDX-License-Identifier: MIT */
#include "bench/classics/musl.h"

#include "test/support/child.h"
#include "test/support/unit.h"

TEST(words)
{
    classic_musl l = CLASSIC_MUSL_INIT;

    classic_musl_lock(&l);
    assert_int_equal(l.word, MUSL_HELD);
    assert_int_equal(classic_musl_trylock(&l), EBUSY);
    assert_int_equal(l.word, MUSL_HELD);
    classic_musl_unlock(&l);
    assert_int_equal(l.word, MUSL_FREE);
    assert_int_equal(classic_musl_trylock(&l), 0);
    assert_int_equal(l.word, MUSL_HELD);
    assert_int_equal(l.waiters, 0);
}

TEST(a_newcomer_takes_a_free_lock_past_those_who_sleep)
{
    classic_musl l = {MUSL_FREE, 3, CLASSIC_SHARED};

    classic_musl_lock(&l);
    assert_int_equal(l.word, MUSL_HELD);
    assert_int_equal(l.waiters, 3);
}

static void lock_and_unlock(void *arg)
{
    classic_musl_lock(arg);
    classic_musl_unlock(arg);
}

TEST(waiters_are_counted_while_they_sleep)
{
    classic_musl *l = share(sizeof *l);

    classic_musl_lock(l);
    pid_t first = start_asleep(lock_and_unlock, l);
    assert_int_equal(l->waiters, 1);
    pid_t second = start_asleep(lock_and_unlock, l);
    assert_int_equal(l->waiters, 2);
    assert_int_equal(l->word, MUSL_HELD);
    classic_musl_unlock(l);
    finish(first);
    finish(second);
    assert_int_equal(l->word, MUSL_FREE);
    assert_int_equal(l->waiters, 0);
}

UNIT_MAIN(NULL, NULL)
