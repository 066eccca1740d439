/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include <furwock/brlock.h>

#include "fake.h"
#include "fake_percpu.h"
#include "test/support/testing.h"
#include "thread/brlock_lines.h"

/* src/thread/brlock_life.c: what may be unmade, and when. */

static fw_brlock lock;

static int reset(void **state)
{
    (void)state;
    fake_reset();
    fake_percpu = (struct fake_percpu){.processors = 2, .counters = 2};
    return fw_brlock_init(&lock);
}

/* As where the kernel does not help. */
static int reset_stripes(void **state)
{
    (void)state;
    fake_reset();
    fake_percpu = (struct fake_percpu){.processors = 2, .counters = 0};
    return fw_brlock_init(&lock);
}

static int forget(void **state)
{
    (void)state;
    if (lock.lines_ != NULL)
        fw_brlock_destroy(&lock);
    return 0;
}

static void a_free_one_is_unmade(void **state)
{
    (void)state;
    assert_int_equal(fw_brlock_trydestroy(&lock), 0);
    assert_null(lock.lines_);
}

static void what_is_read_stays(void **state)
{
    (void)state;
    fw_brlock_rdlock(&lock);
    assert_int_equal(fw_brlock_trydestroy(&lock), EBUSY);
    FAKE_EXPECT_PANIC(fw_brlock_destroy(&lock));
    assert_string_equal(fake.panic_what, "read-write lock destroyed while it is read");
    fw_brlock_rdunlock(&lock);
}

static void what_is_written_stays(void **state)
{
    uint32_t me = fake_as(200);

    (void)state;
    fw_brlock_wrlock(&lock);
    fake_as(FAKE_SELF);
    assert_int_equal(fw_brlock_trydestroy(&lock), EBUSY);
    FAKE_EXPECT_PANIC(fw_brlock_destroy(&lock));
    assert_int_equal(fake.panic_owner, FAKE_ID(200));
    fake_as(200);
    FAKE_EXPECT_PANIC(fw_brlock_destroy(&lock));
    assert_string_equal(fake.panic_what, "read-write lock destroyed by its owner");
    fw_brlock_wrunlock(&lock);
    fw_self_id_ = me;
}

/* It has cleared the closed flag, and not yet let go of the writers' mutex. */
static int leaves(struct fake_call *call)
{
    (void)call;
    if (fake.waits < 2)
        return -ETIMEDOUT; /* it was not to be had in a millisecond */
    fake_as(200);
    fw_mutex_unlock(&lock.lines_->writers);
    return FAKE_COMPARE;
}

static void who_is_on_the_way_out_is_waited_for(void **state)
{
    (void)state;
    fake_as(200);
    fw_mutex_lock(&lock.lines_->writers);
    fake_as(FAKE_SELF);
    fake.on_sleep = leaves;
    assert_int_equal(fw_brlock_trydestroy(&lock), 0);
    assert_true(fake.waits >= 2);
}

/* The stripes are open again: readers come and go, and the last of them destroys the lock. */
static int clears_the_closed_flag(struct fake_call *call)
{
    (void)call;
    lock.owner_ = 0;
    fake_as(200);
    fw_mutex_unlock(&lock.lines_->writers);
    return FAKE_COMPARE;
}

static void a_writer_that_has_yet_to_reopen_is_waited_for(void **state)
{
    (void)state;
    fake_as(200);
    fw_mutex_lock(&lock.lines_->writers);
    lock.owner_ = FAKE_ID(200);
    fake_as(FAKE_SELF);
    fake.on_sleep = clears_the_closed_flag;
    fw_brlock_destroy(&lock);
    assert_null(lock.lines_);
    assert_true(fake.waits >= 1);
}

/* It took the mutex on its way in, and closes the lock. */
static int closes(struct fake_call *call)
{
    (void)call;
    lock.owner_ = FAKE_ID(200);
    lock.lines_->stripe[0].word |= BRLOCK_CLOSED;
    return -ETIMEDOUT;
}

static void who_is_on_the_way_in_is_not(void **state)
{
    (void)state;
    fake_as(200);
    fw_mutex_lock(&lock.lines_->writers);
    fake_as(FAKE_SELF);
    fake.on_sleep = closes;
    fake.pause_ns = 1000000;
    assert_int_equal(fw_brlock_trydestroy(&lock), EBUSY);
    lock.owner_ = 0;
    lock.lines_->stripe[0].word &= ~BRLOCK_CLOSED;
    fake_as(200);
    fw_mutex_unlock(&lock.lines_->writers);
    fake_as(FAKE_SELF);
}

static void what_a_fork_left_held_stays(void **state)
{
    (void)state;
    fake_as(200);
    fw_mutex_lock(&lock.lines_->writers);
    fake_as(FAKE_SELF);
    fake.fork_generation++;
    assert_int_equal(fw_brlock_trydestroy(&lock), EBUSY);
    assert_int_equal(fake.waits, 0);
    fake_as(200);
    fw_mutex_unlock(&lock.lines_->writers);
    fake_as(FAKE_SELF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_free_one_is_unmade, reset, forget),
        cmocka_unit_test_setup_teardown(what_is_read_stays, reset, forget),
        cmocka_unit_test_setup_teardown(what_is_written_stays, reset, forget),
        cmocka_unit_test_setup_teardown(who_is_on_the_way_out_is_waited_for, reset, forget),
        cmocka_unit_test_setup_teardown(a_writer_that_has_yet_to_reopen_is_waited_for, reset,
                                        forget),
        cmocka_unit_test_setup_teardown(a_writer_that_has_yet_to_reopen_is_waited_for,
                                        reset_stripes, forget),
        cmocka_unit_test_setup_teardown(who_is_on_the_way_in_is_not, reset, forget),
        cmocka_unit_test_setup_teardown(what_a_fork_left_held_stays, reset, forget),
    };
    return cmocka_run_group_tests_name("brlock_life", tests, NULL, NULL);
}
