/* SPDX-License-Identifier: MIT */
#include "bench/classics/gustedt_text.h"

#include "test/support/child.h"
#include "test/support/unit.h"

/* Gustedt (INRIA RR-8818), section 3.1, steps 1 and 2. */

#define HELD GUSTEDT_TEXT_HELD

TEST(words)
{
    classic_gustedt_text l = {0, CLASSIC_SHARED, 1};

    classic_gustedt_text_lock(&l);
    assert_int_equal(l.word, HELD | 1);
    assert_int_equal(classic_gustedt_text_trylock(&l), EBUSY);
    classic_gustedt_text_unlock(&l);
    assert_int_equal(l.word, 0);
}

TEST(a_newcomer_takes_a_free_lock_past_those_inside)
{
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
TEST(a_newcomer_spins_first)
{
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
TEST(then_it_sleeps_and_stays_counted)
{
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
TEST(spins_are_calibrated_once)
{
    uint32_t spins = classic_gustedt_text_spins();

    assert_true(spins >= 1);
    assert_int_equal(classic_gustedt_text_spins(), spins);
}

UNIT_MAIN(NULL, NULL)
