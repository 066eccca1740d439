/* SPDX-License-Identifier: MIT */
#include "bench/classics/random.h"

#include "test/support/child.h"
#include "test/support/unit.h"

/* Franke, Russell and Kirkwood (OLS 2002), section 2: "random fairness". */

TEST(words)
{
    classic_random l = CLASSIC_RANDOM_INIT;

    classic_random_lock(&l);
    assert_int_equal(l.word, RANDOM_HELD);
    assert_int_equal(classic_random_trylock(&l), EBUSY);
    classic_random_unlock(&l);
    assert_int_equal(l.word, RANDOM_FREE);
}

TEST(release_marks_the_lock_available)
{
    classic_random l = {RANDOM_AWAITED, CLASSIC_SHARED};

    classic_random_unlock(&l);
    assert_int_equal(l.word, RANDOM_FREE);
    assert_int_equal(classic_random_trylock(&l), 0); /* the releasing task may have it again */
}

static void lock_and_unlock(void *arg)
{
    classic_random_lock(arg);
    classic_random_unlock(arg);
}

/* "Wake all waiting processes and have them recontend": nobody else will wake the others. */
TEST(one_release_wakes_all)
{
    classic_random *l = share(sizeof *l);
    pid_t tasks[3];

    classic_random_lock(l);
    for (int i = 0; i < 3; i++)
        tasks[i] = start_asleep(lock_and_unlock, l);
    assert_int_equal(l->word, RANDOM_AWAITED);
    classic_random_unlock(l);
    for (int i = 0; i < 3; i++)
        finish(tasks[i]);
    assert_int_equal(l->word, RANDOM_FREE);
}

/* A task that loses the race sleeps again, and the next release wakes it. */
TEST(a_loser_sleeps_again)
{
    classic_random *l = share(sizeof *l);

    classic_random_lock(l);
    pid_t loser = start_asleep(lock_and_unlock, l);
    sc_store(&l->word, RANDOM_HELD); /* somebody has released it, and a newcomer was faster */
    assert_int_equal(word_wake(&l->word, FW_FUTEX_ALL, CLASSIC_SHARED), 1);
    await_child_asleep(loser);
    assert_int_equal(l->word, RANDOM_AWAITED);
    classic_random_unlock(l);
    finish(loser);
}

UNIT_MAIN(NULL, NULL)
