/* SPDX-License-Identifier: MIT */
#include "bench/classics/ksem.h"

#include "test/support/child.h"
#include "test/support/unit.h"

TEST(a_premature_up_is_absorbed)
{
    classic_ksem k = {0, CLASSIC_SHARED};

    classic_ksem_up(&k);
    assert_int_equal(k.units, KSEM_EARLY);
    classic_ksem_down(&k); /* must not sleep */
    assert_int_equal(k.units, 0);

    classic_ksem_up(&k);
    classic_ksem_up(&k);
    assert_int_equal(k.units, 2 * KSEM_EARLY);
    classic_ksem_down(&k);
    classic_ksem_down(&k);
    assert_int_equal(k.units, 0);
}

static void down(void *arg)
{
    classic_ksem_down(arg);
}

TEST(an_up_goes_to_the_sleeper)
{
    classic_ksem *k = share(sizeof *k);

    pid_t sleeper = start_asleep(down, k);
    classic_ksem_up(k);
    finish(sleeper);
    assert_int_equal(k->units, 0);
}

TEST(what_is_given_to_more_than_sleep_is_kept)
{
    classic_ksem *k = share(sizeof *k);

    pid_t first = start_asleep(down, k), second = start_asleep(down, k);
    classic_ksem_up_many(k, 3);
    finish(first);
    finish(second);
    assert_int_equal(k->units, KSEM_EARLY);
    classic_ksem_down(k); /* must not sleep */
    assert_int_equal(k->units, 0);
}

TEST(a_newcomer_leaves_a_given_unit_alone)
{
    classic_ksem *k = share(sizeof *k);

    sc_store(&k->units, KSEM_GIVEN); /* as if on its way to a task that was just woken */
    pid_t newcomer = start_asleep(down, k);
    assert_int_equal(k->units, KSEM_GIVEN);
    assert_true(word_wake_one(&k->units, CLASSIC_SHARED)); /* it was the newcomer after all */
    finish(newcomer);
    assert_int_equal(k->units, 0);
}

TEST(a_woken_task_leaves_early_units_to_others)
{
    classic_ksem *k = share(sizeof *k);

    pid_t sleeper = start_asleep(down, k);
    sc_store(&k->units, KSEM_GIVEN + KSEM_EARLY);
    assert_true(word_wake_one(&k->units, CLASSIC_SHARED));
    finish(sleeper);
    assert_int_equal(k->units, KSEM_EARLY);
}

TEST(a_wake_without_a_unit_changes_nothing)
{
    classic_ksem *k = share(sizeof *k);

    pid_t sleeper = start_asleep(down, k);
    assert_true(word_wake_one(&k->units, CLASSIC_SHARED));
    await_child_asleep(sleeper);
    assert_int_equal(k->units, 0);
    classic_ksem_up(k);
    finish(sleeper);
    assert_int_equal(k->units, 0);
}

UNIT_MAIN(NULL, NULL)
