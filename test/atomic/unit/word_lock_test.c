/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "fake.h"
#include "test/support/testing.h"
#include "word_lock.h"

/* atomic/word_lock.c over the fake kernel: taking and giving back.  Hooks play other threads. */

#define HELD FW_WORD_LOCK_HELD_
#define WAKING FW_WORD_LOCK_WAKING_

static fw_word_lock l;

static int reset(void **state)
{
    (void)state;
    fake_reset();
    l = (fw_word_lock)FW_WORD_LOCK_INIT;
    return 0;
}

static void one_word(void **state)
{
    (void)state;
    assert_int_equal(sizeof l, 4);
    fw_word_lock_lock_(&l);
    assert_int_equal(l.word, HELD);
    fw_word_lock_unlock_(&l);
    assert_int_equal(l.word, 0);
    assert_int_equal(fake.n_calls, 0);
    assert_int_equal(fake.pauses, 0);
}

static void trylock_takes_what_is_free(void **state)
{
    static const uint32_t words[] = {0, 2, WAKING | 2};

    (void)state;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        l.word = words[i];
        assert_int_equal(fw_word_lock_trylock_(&l), 0);
        assert_int_equal(l.word, HELD | words[i]);
        assert_int_equal(fw_word_lock_trylock_(&l), EBUSY);
        assert_int_equal(l.word, HELD | words[i]);
    }
    assert_int_equal(fake.n_calls, 0);
}

/* A newcomer takes a free lock past those who are registered, and does not join them. */
static void a_newcomer_takes_a_free_lock(void **state)
{
    static const uint32_t words[] = {1, 5, WAKING | 1};

    (void)state;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        l.word = words[i];
        fw_word_lock_lock_(&l);
        assert_int_equal(l.word, HELD | words[i]);
    }
    assert_int_equal(fake.n_calls, 0);
    assert_int_equal(fake.pauses, 0);
}

static void freed_at_the_third_pause(void)
{
    if (fake.pauses == 3)
        fw_word_lock_unlock_(&l);
}

/* Those who spin are not counted: the release that they wait for makes no call either. */
static void spinning_spares_the_kernel(void **state)
{
    (void)state;
    l.word = HELD;
    fake.on_poll = freed_at_the_third_pause;
    fw_word_lock_lock_(&l);
    assert_int_equal(l.word, HELD);
    assert_in_range(fake.pauses, 3, 3 + FW_WORD_LOCK_PAUSES_ - 1); /* noticed at the next look */
    assert_int_equal(fake.n_calls, 0);
}

/*
 * Meanwhile another one takes the lock, and relies on WAKING: it gives the lock back without a
 * wake.  Who slept on that word, or is about to, must not be left there.
 */
static void taken_and_freed(struct fake_call *call)
{
    assert_ptr_equal(call->word, &l.word);
    if (fake.wakes == 1) {
        assert_int_equal(l.word, WAKING | 1);
        fw_word_lock_lock_(&l);
        fw_word_lock_unlock_(&l);
        assert_int_equal(l.word, WAKING | 1);
    }
}

static void waking_that_was_relied_upon_is_not_taken_back_in_silence(void **state)
{
    (void)state;
    l.word = HELD | 1;
    fake.on_wake = taken_and_freed;
    fw_word_lock_unlock_(&l);
    assert_int_equal(l.word, 1);
    assert_int_equal(fake.wakes, 2);
}

static void taken_during_the_wake(struct fake_call *call)
{
    (void)call;
    fw_word_lock_lock_(&l);
}

static void the_next_release_wakes_where_waking_was_taken_back(void **state)
{
    (void)state;
    l.word = HELD | 1;
    fake.on_wake = taken_during_the_wake;
    fw_word_lock_unlock_(&l);
    assert_int_equal(l.word, HELD | 1);
    assert_int_equal(fake.wakes, 1);
    fake.on_wake = NULL;
    fw_word_lock_unlock_(&l);
    assert_int_equal(fake.wakes, 3); /* needlessly again, as nobody sleeps */
    assert_int_equal(l.word, 1);
}

/* While there is a successor, releases make no call, and nobody else is woken. */
static void one_wake_at_a_time(void **state)
{
    (void)state;
    l.word = HELD | WAKING | 3;
    fw_word_lock_unlock_(&l);
    assert_int_equal(l.word, WAKING | 3);
    assert_int_equal(fake.n_calls, 0);
}

/* What a release finds when it looks at the lock that it has given back; nobody is asleep. */
static void a_release_that_others_have_overtaken(void **state)
{
    static const struct {
        uint32_t was, now, after;
        unsigned wakes;
    } cases[] = {
        {HELD | 1, 1, 1, 2},                   /* nobody came */
        {HELD | 1, 2, 2, 2},                   /* another one registered */
        {HELD | 1, HELD | 1, HELD | 1, 0},     /* taken: its release looks after them */
        {HELD | 1, HELD, HELD, 0},             /* by the waiter itself */
        {HELD | 1, 0, 0, 0},                   /* and given back */
        {HELD | 2, WAKING | 2, WAKING | 2, 0}, /* another release has woken one */
        {HELD | 2, HELD | WAKING | 1, HELD | WAKING | 1, 0},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        fake_reset();
        l.word = cases[i].now;
        fw_word_unlock_slow_(&l, cases[i].was);
        assert_int_equal(l.word, cases[i].after);
        assert_int_equal(fake.wakes, cases[i].wakes);
    }
}

/* A child whose parent's handler forked inside an operation: the word is new, the holder is not. */
static void giving_back_what_a_fork_has_reset(void **state)
{
    (void)state;
    l.word = 0;
    fw_word_lock_unlock_(&l);
    assert_int_equal(l.word, 0);
    assert_int_equal(fake.n_calls, 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(one_word, reset),
        cmocka_unit_test_setup(trylock_takes_what_is_free, reset),
        cmocka_unit_test_setup(a_newcomer_takes_a_free_lock, reset),
        cmocka_unit_test_setup(spinning_spares_the_kernel, reset),
        cmocka_unit_test_setup(waking_that_was_relied_upon_is_not_taken_back_in_silence, reset),
        cmocka_unit_test_setup(the_next_release_wakes_where_waking_was_taken_back, reset),
        cmocka_unit_test_setup(one_wake_at_a_time, reset),
        cmocka_unit_test_setup(a_release_that_others_have_overtaken, reset),
        cmocka_unit_test_setup(giving_back_what_a_fork_has_reset, reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
