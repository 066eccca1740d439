/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include <furwock/futex.h>

#include "mutex_words.h"
#include "thread/mutex_requeue.h"

/* src/thread/mutex_requeue.c: waiters that come by somebody else's hand. */

static fw_mutex m;

static int reset(void **state)
{
    fw_mutex_init(&m);
    return reset_fake(state);
}

#define move_test(f) cmocka_unit_test_setup(f, reset)

static void the_owner_registers_without_a_fence(void **state)
{
    (void)state;
    m.state_ = MINE;
    assert_int_equal(fw_mutex_register_(&m, 3, false), 0);
    assert_word(&m, MINE | FENCED | WAITERS(3));
    assert_int_equal(fake.fences, 0);
    fw_mutex_look_again_(&m);
    assert_word(&m, MINE | FENCED | WAITERS(3));
}

static void a_free_mutex_wants_one_wake(void **state)
{
    (void)state;
    assert_int_equal(fw_mutex_register_(&m, 2, false), 1);
    assert_word(&m, FENCED | WAKING | WAITERS(2));
    assert_int_equal(fake.fences, 0);
}

static void nobody_is_woken_where_somebody_comes(void **state)
{
    (void)state;
    m.state_ = FENCED | WAKING | WAITERS(1);
    assert_int_equal(fw_mutex_register_(&m, 2, false), 0);
    assert_word(&m, FENCED | WAKING | WAITERS(3));
}

static void a_registered_thread_takes_and_leaves_the_queue(void **state)
{
    (void)state;
    m.state_ = FENCED | WAKING | WAITERS(2);
    fw_mutex_lock_registered_(&m);
    assert_word(&m, MINE | FENCED | WAITERS(1));
}

static uint32_t futex;

static void a_second_late_wake_is_refused(void **state)
{
    (void)state;
    m.state_ = MINE;
    assert_true(fw_mutex_register_held_(&m, &futex, NULL));
    assert_false(fw_mutex_register_held_(&m, &futex, NULL));
    assert_word(&m, MINE | FENCED | WAKING | WAITERS(1));
}

static void only_a_holder_wakes_late(void **state)
{
    (void)state;
    assert_false(fw_mutex_register_held_(&m, &futex, NULL));
    m.state_ = HELD(OWNER);
    assert_false(fw_mutex_register_held_(&m, &futex, NULL));
    assert_word(&m, HELD(OWNER));
}

static void of_a_real_time_thread_the_word_knows(void **state)
{
    (void)state;
    m.state_ = HELD(OWNER) | FENCED | WAITERS(1);
    assert_int_equal(fw_mutex_register_(&m, 2, true), 0);
    assert_word(&m, HELD(OWNER) | FENCED | URGENT | WAITERS(3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        move_test(the_owner_registers_without_a_fence),
        move_test(a_free_mutex_wants_one_wake),
        move_test(nobody_is_woken_where_somebody_comes),
        move_test(a_registered_thread_takes_and_leaves_the_queue),
        move_test(a_second_late_wake_is_refused),
        move_test(only_a_holder_wakes_late),
        move_test(of_a_real_time_thread_the_word_knows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
