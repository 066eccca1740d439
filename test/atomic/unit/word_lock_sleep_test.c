/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "core/recheck.h"
#include "fake.h"
#include "test/support/testing.h"
#include "word_lock.h"

/*
 * atomic/word_lock.c over the fake kernel: sleeping, and the successor.  Hooks play other threads.
 */

#define HELD FW_WORD_LOCK_HELD_
#define WAKING FW_WORD_LOCK_WAKING_

/* What a thread spends before it sleeps. */
#define PAUSES (FW_WORD_LOCK_LOOKS_ * FW_WORD_LOCK_PAUSES_)

static fw_word_lock l;

static int reset(void **state)
{
    (void)state;
    fake_reset();
    l = (fw_word_lock)FW_WORD_LOCK_INIT;
    return 0;
}

/* How long a sleep that begins now would be. */
static uint64_t length(const struct fake_call *call)
{
    assert_true(call->has_deadline);
    assert_int_equal(call->deadline.clock, CLOCK_MONOTONIC);
    assert_in_range(call->deadline.at.tv_nsec, 0, 999999999);
    return (uint64_t)call->deadline.at.tv_sec * 1000000000 + (uint64_t)call->deadline.at.tv_nsec -
           fake.now_ns;
}

static int freed_while_asleep(struct fake_call *call)
{
    assert_int_equal(length(call), FW_RECHECK_ATOMIC_NS);
    assert_int_equal(l.word, HELD | 1);
    fw_word_lock_unlock_(&l);
    assert_int_equal(l.word, WAKING | 1);
    assert_int_equal(fake.wakes, 1);
    return FAKE_COMPARE;
}

/* AWL1, and the sleeper leaves the count, and clears WAKING, in the step that takes the lock. */
static void sleeps_after_its_looks(void **state)
{
    (void)state;
    l.word = HELD;
    fake.on_sleep = freed_while_asleep;
    fw_word_lock_lock_(&l);
    assert_int_equal(l.word, HELD);
    assert_int_equal(fake.pauses, PAUSES);
    assert_int_equal(fake.n_calls, 2);
    const struct fake_call *wait = fake_nth(FAKE_WAIT, 0), *wake = fake_nth(FAKE_WAKE, 0);
    assert_ptr_equal(wait->word, &l.word);
    assert_int_equal(wait->expected, HELD | 1);
    assert_int_equal(wait->flags, FW_FUTEX_PRIVATE);
    assert_ptr_equal(wake->word, &l.word);
    assert_int_equal(wake->n, 1);
    assert_int_equal(wake->flags, FW_FUTEX_PRIVATE);
}

static int ends_for_no_reason(struct fake_call *call)
{
    assert_int_equal(call->expected, HELD | 1); /* registered once */
    if (fake.waits < 3)
        return -EINTR;
    if (fake.waits == 3)
        return FAKE_SPURIOUS;
    fw_word_lock_unlock_(&l);
    return FAKE_COMPARE;
}

static void spurious_wakes_and_interruptions(void **state)
{
    (void)state;
    l.word = HELD;
    fake.on_sleep = ends_for_no_reason;
    fw_word_lock_lock_(&l);
    assert_int_equal(l.word, HELD);
    assert_int_equal(fake.waits, 4);
    assert_int_equal(fake.wakes, 1);
    assert_int_equal(fake.pauses, 4 * PAUSES);
}

/* No wake comes: it looks again by itself, and is no successor. */
static int nobody_wakes(struct fake_call *call)
{
    assert_int_equal(call->expected, HELD | 1);
    assert_int_equal(length(call), FW_RECHECK_ATOMIC_NS);
    if (fake.waits == 3)
        l.word = 1;
    return FAKE_COMPARE;
}

static void a_sleeper_that_is_overlooked(void **state)
{
    (void)state;
    l.word = HELD;
    fake.on_sleep = nobody_wakes;
    fw_word_lock_lock_(&l);
    assert_int_equal(l.word, HELD);
    assert_int_equal(fake.waits, 3);
    assert_int_equal(fake.wakes, 0);
}

static int another_registers_first(struct fake_call *call)
{
    (void)call;
    if (fake.waits == 1)
        l.word += FW_WORD_LOCK_SLEEPER_;
    return FAKE_COMPARE;
}

static int freed_for_one_of_two(struct fake_call *call)
{
    assert_int_equal(call->expected, HELD | 2);
    fw_word_lock_unlock_(&l);
    assert_int_equal(l.word, WAKING | 2);
    return FAKE_COMPARE;
}

static void the_word_changes_on_the_way_to_sleep(void **state)
{
    (void)state;
    l.word = HELD;
    fake.on_wait = another_registers_first;
    fake.on_sleep = freed_for_one_of_two;
    fw_word_lock_lock_(&l);
    assert_int_equal(fake_nth(FAKE_WAIT, 0)->result, -EAGAIN);
    assert_int_equal(fake.waits, 2);
    assert_int_equal(l.word, HELD | 1);
}

/*
 * AWL3: the successor, which was woken and found the lock taken, waits with a bound, and keeps
 * WAKING.
 */
static int a_successor_rechecks(struct fake_call *call)
{
    if (fake.waits == 1) {
        assert_int_equal(call->expected, HELD | 1);
        assert_int_equal(length(call), FW_RECHECK_ATOMIC_NS);
        fw_word_lock_unlock_(&l);
        assert_int_equal(l.word, WAKING | 1);
        fw_word_lock_lock_(&l); /* a newcomer */
        return FAKE_COMPARE;
    }
    assert_int_equal(call->expected, HELD | WAKING | 1);
    assert_int_equal(length(call), FW_RECHECK_ATOMIC_WOKEN_NS);
    if (fake.waits == 2)
        return FAKE_COMPARE; /* nobody wakes it */
    fw_word_lock_unlock_(&l);
    assert_int_equal(fake.wakes, 1);
    assert_int_equal(l.word, WAKING | 1);
    return FAKE_COMPARE; /* nobody wakes it: it finds out */
}

static void a_needless_wake_is_found_out(void **state)
{
    (void)state;
    l.word = HELD;
    fake.on_sleep = a_successor_rechecks;
    fw_word_lock_lock_(&l);
    assert_int_equal(l.word, HELD);
    assert_int_equal(fake.waits, 3);
    assert_int_equal(fake.wakes, 1);
    assert_int_equal(fake_nth(FAKE_WAIT, 1)->result, -ETIMEDOUT);
}

static void rechecks_end_at_a_second_as_at_any_time(void **state)
{
    (void)state;
    l.word = HELD;
    fake.now_ns = 999999999;
    fake.pause_ns = 0;
    fake.on_sleep = a_successor_rechecks;
    fw_word_lock_lock_(&l);
    assert_int_equal(l.word, HELD);
    assert_int_equal(fake.waits, 3);
}

/* Another one of those who are registered, on its way to sleep, finds the lock free. */
static int freed_with_a_successor(struct fake_call *call)
{
    assert_int_equal(call->expected, HELD | WAKING | 2);
    fw_word_lock_unlock_(&l);
    return FAKE_COMPARE;
}

static void only_the_successor_clears_waking(void **state)
{
    (void)state;
    l.word = HELD | WAKING | 1;
    fake.on_wait = freed_with_a_successor;
    fw_word_lock_lock_(&l);
    assert_int_equal(fake.waits, 1);
    assert_int_equal(l.word, HELD | WAKING | 1);
}

/* A fork in a signal handler has erased the registration in the child. */
static int erased_while_asleep(struct fake_call *call)
{
    (void)call;
    l.word = 0;
    return -EINTR;
}

static void a_registration_that_a_fork_has_erased(void **state)
{
    (void)state;
    l.word = HELD;
    fake.on_sleep = erased_while_asleep;
    fw_word_lock_lock_(&l);
    assert_int_equal(l.word, HELD);
    fw_word_lock_unlock_(&l);
    assert_int_equal(l.word, 0);
}

static int no_such_memory(struct fake_call *call)
{
    (void)call;
    return -EFAULT;
}

static void errors_that_cannot_be_panic(void **state)
{
    (void)state;
    l.word = HELD;
    fake.on_wait = no_such_memory;
    FAKE_EXPECT_PANIC(fw_word_lock_lock_(&l));
    assert_int_equal(fake.panic_error, EFAULT);
    l.word = HELD | 1;
    fake.wake_result = -EINVAL;
    FAKE_EXPECT_PANIC(fw_word_lock_unlock_(&l));
    assert_int_equal(fake.panic_error, EINVAL);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(sleeps_after_its_looks, reset),
        cmocka_unit_test_setup(spurious_wakes_and_interruptions, reset),
        cmocka_unit_test_setup(a_sleeper_that_is_overlooked, reset),
        cmocka_unit_test_setup(the_word_changes_on_the_way_to_sleep, reset),
        cmocka_unit_test_setup(a_needless_wake_is_found_out, reset),
        cmocka_unit_test_setup(rechecks_end_at_a_second_as_at_any_time, reset),
        cmocka_unit_test_setup(only_the_successor_clears_waking, reset),
        cmocka_unit_test_setup(a_registration_that_a_fork_has_erased, reset),
        cmocka_unit_test_setup(errors_that_cannot_be_panic, reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
