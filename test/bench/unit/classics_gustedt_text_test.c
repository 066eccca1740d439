/* SPDX-License-Identifier: MIT */
#include "bench/classics/gustedt_text.h"

#include "test/support/child.h"
#include "test/support/testing.h"

/* Gustedt (INRIA RR-8818), section 3.1, steps 1 and 2. */

#define HELD GUSTEDT_TEXT_HELD

static void words(void **state)
{
    (void)state;
    classic_gustedt_text l = {0, CLASSIC_SHARED, 1};

    classic_gustedt_text_lock(&l);
    assert_int_equal(l.word, HELD | 1);
    assert_int_equal(classic_gustedt_text_trylock(&l), EBUSY);
    classic_gustedt_text_unlock(&l);
    assert_int_equal(l.word, 0);
}

static void a_newcomer_takes_a_free_lock_past_those_inside(void **state)
{
    (void)state;
    classic_gustedt_text l = {3, CLASSIC_SHARED, 1}; /* free, three woken or about to be */

    classic_gustedt_text_lock(&l);
    assert_int_equal(l.word, HELD | 4);
    classic_gustedt_text_unlock(&l);
    assert_int_equal(l.word, 3);
}

static void lock_and_unlock(void *arg)
{
    classic_gustedt_text_lock(arg);
    classic_gustedt_text_unlock(arg);
}

static bool two_are_inside(void *arg)
{
    return sc_load(&((classic_gustedt_text *)arg)->word) == (HELD | 2);
}

/* Step 2(a).  No wake comes, so who had gone to the kernel, as in Listing 1, would stay there. */
static void a_newcomer_spins_first(void **state)
{
    (void)state;
    classic_gustedt_text *l = share(sizeof *l);

    l->spins = UINT32_MAX;
    classic_gustedt_text_lock(l);
    pid_t newcomer = start(lock_and_unlock, l);
    assert_true(await_condition(two_are_inside, l));
    sc_store(&l->word, 1); /* released, and nobody woken */
    finish(newcomer);
    assert_int_equal(l->word, 0);
}

/* Step 2(b). */
static void then_it_sleeps_and_stays_counted(void **state)
{
    (void)state;
    classic_gustedt_text *l = share(sizeof *l);

    l->spins = 1;
    classic_gustedt_text_lock(l);
    pid_t first = start_asleep(lock_and_unlock, l);
    assert_int_equal(l->word, HELD | 2);
    pid_t second = start_asleep(lock_and_unlock, l);
    assert_int_equal(l->word, HELD | 3);
    classic_gustedt_text_unlock(l);
    finish(first);
    finish(second);
    assert_int_equal(l->word, 0);
}

/* Section 3.2: t_mono is about t_fail, which is longer than a look. */
static void spins_are_calibrated_once(void **state)
{
    (void)state;
    uint32_t spins = classic_gustedt_text_spins();

    assert_true(spins >= 1);
    assert_int_equal(classic_gustedt_text_spins(), spins);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(a_newcomer_takes_a_free_lock_past_those_inside),
        cmocka_unit_test(a_newcomer_spins_first),
        cmocka_unit_test(then_it_sleeps_and_stays_counted),
        cmocka_unit_test(spins_are_calibrated_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
