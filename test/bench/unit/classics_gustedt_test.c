/* SPDX-License-Identifier: MIT */
#include "bench/classics/gustedt.h"

#include "test/support/child.h"
#include "test/support/unit.h"

#define HELD GUSTEDT_HELD

TEST(words)
{
    classic_gustedt l = CLASSIC_GUSTEDT_INIT;

    classic_gustedt_lock(&l, 0);
    assert_int_equal(l.word, HELD | 1);
    assert_int_equal(classic_gustedt_trylock(&l), EBUSY);
    assert_int_equal(l.word, HELD | 1);
    classic_gustedt_unlock(&l);
    assert_int_equal(l.word, 0);
    assert_int_equal(classic_gustedt_trylock(&l), 0);
    assert_int_equal(l.word, HELD | 1);
}

TEST(a_newcomer_takes_a_free_lock_past_those_inside)
{
    classic_gustedt l = {3, CLASSIC_SHARED}; /* free, three woken or about to be */

    assert_int_equal(classic_gustedt_trylock(&l), EBUSY);
    classic_gustedt_lock(&l, GUSTEDT_SPINS);
    assert_int_equal(l.word, HELD | 4);
    classic_gustedt_unlock(&l);
    assert_int_equal(l.word, 3);
}

static void lock_and_unlock(void *arg)
{
    classic_gustedt_lock(arg, GUSTEDT_SPINS);
    classic_gustedt_unlock(arg);
}

TEST(waiters_are_counted_until_they_unlock)
{
    classic_gustedt *l = share(sizeof *l);

    classic_gustedt_lock(l, GUSTEDT_SPINS);
    pid_t first = start_asleep(lock_and_unlock, l);
    assert_int_equal(l->word, HELD | 2);
    pid_t second = start_asleep(lock_and_unlock, l);
    assert_int_equal(l->word, HELD | 3);
    classic_gustedt_unlock(l);
    finish(first);
    finish(second);
    assert_int_equal(l->word, 0);
}

UNIT_MAIN(NULL, NULL)
