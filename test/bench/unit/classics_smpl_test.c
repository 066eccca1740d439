/* SPDX-License-Identifier: MIT */
#include "bench/classics/smpl.h"

#include "test/support/child.h"
#include "test/support/unit.h"

TEST(words)
{
    classic_smpl l = CLASSIC_SMPL_INIT;

    assert_int_equal(l.word, 0);
    classic_smpl_lock(&l);
    assert_int_equal(l.word, 1);
    assert_int_equal(classic_smpl_trylock(&l), EBUSY);
    assert_int_equal(l.word, 1);
    classic_smpl_unlock(&l);
    assert_int_equal(l.word, 0);
    assert_int_equal(classic_smpl_trylock(&l), 0);
    assert_int_equal(l.word, 1);
}

static void lock_and_unlock(void *arg)
{
    classic_smpl_lock(arg);
    classic_smpl_unlock(arg);
}

TEST(a_waiter_sleeps_and_unlock_wakes_it)
{
    classic_smpl *l = share(sizeof *l);

    classic_smpl_lock(l);
    pid_t waiter = start_asleep(lock_and_unlock, l);
    assert_int_equal(l->word, 1);
    classic_smpl_unlock(l);
    finish(waiter);
    assert_int_equal(l->word, 0);
}

UNIT_MAIN(NULL, NULL)
