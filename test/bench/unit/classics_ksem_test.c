/* SPDX-License-Identifier: MIT */
#include "bench/classics/ksem.h"

#include "test/support/child.h"
#include "test/support/testing.h"

static void a_premature_up_is_absorbed(void **state)
{
    (void)state;
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

static void an_up_goes_to_the_sleeper(void **state)
{
    (void)state;
    classic_ksem *k = share(sizeof *k);

    pid_t sleeper = start_asleep(down, k);
    classic_ksem_up(k);
    finish(sleeper);
    assert_int_equal(k->units, 0);
}

static void what_is_given_to_more_than_sleep_is_kept(void **state)
{
    (void)state;
    classic_ksem *k = share(sizeof *k);

    pid_t first = start_asleep(down, k), second = start_asleep(down, k);
    classic_ksem_up_many(k, 3);
    finish(first);
    finish(second);
    assert_int_equal(k->units, KSEM_EARLY);
    classic_ksem_down(k); /* must not sleep */
    assert_int_equal(k->units, 0);
}

static void a_newcomer_leaves_a_given_unit_alone(void **state)
{
    (void)state;
    classic_ksem *k = share(sizeof *k);

    sc_store(&k->units, KSEM_GIVEN); /* as if on its way to a task that was just woken */
    pid_t newcomer = start_asleep(down, k);
    assert_int_equal(k->units, KSEM_GIVEN);
    assert_true(word_wake_one(&k->units, CLASSIC_SHARED)); /* it was the newcomer after all */
    finish(newcomer);
    assert_int_equal(k->units, 0);
}

static void a_woken_task_leaves_early_units_to_others(void **state)
{
    (void)state;
    classic_ksem *k = share(sizeof *k);

    pid_t sleeper = start_asleep(down, k);
    sc_store(&k->units, KSEM_GIVEN + KSEM_EARLY);
    assert_true(word_wake_one(&k->units, CLASSIC_SHARED));
    finish(sleeper);
    assert_int_equal(k->units, KSEM_EARLY);
}

static void a_wake_without_a_unit_changes_nothing(void **state)
{
    (void)state;
    classic_ksem *k = share(sizeof *k);

    pid_t sleeper = start_asleep(down, k);
    assert_true(word_wake_one(&k->units, CLASSIC_SHARED));
    await_child_asleep(sleeper);
    assert_int_equal(k->units, 0);
    classic_ksem_up(k);
    finish(sleeper);
    assert_int_equal(k->units, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_premature_up_is_absorbed),
        cmocka_unit_test(an_up_goes_to_the_sleeper),
        cmocka_unit_test(what_is_given_to_more_than_sleep_is_kept),
        cmocka_unit_test(a_newcomer_leaves_a_given_unit_alone),
        cmocka_unit_test(a_woken_task_leaves_early_units_to_others),
        cmocka_unit_test(a_wake_without_a_unit_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
