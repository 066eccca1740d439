/* SPDX-License-Identifier: MIT */
#include "mutex_words.h"
#include "thread/mutex_requeue.h"

/* src/thread/mutex_requeue.c: waiters that come by somebody else's hand. */

TEST(the_owner_registers_without_a_fence)
{
    m.state_ = MINE;
    assert_int_equal(fw_mutex_register_(&m, 3, false), 0);
    assert_word(&m, MINE | FENCED | WAITERS(3));
    assert_int_equal(fake.fences, 0);
    fw_mutex_look_again_(&m);
    assert_word(&m, MINE | FENCED | WAITERS(3));
}

TEST(a_free_mutex_wants_one_wake)
{
    assert_int_equal(fw_mutex_register_(&m, 2, false), 1);
    assert_word(&m, FENCED | WAKING | WAITERS(2));
    assert_int_equal(fake.fences, 0);
}

TEST(nobody_is_woken_where_somebody_comes)
{
    m.state_ = FENCED | WAKING | WAITERS(1);
    assert_int_equal(fw_mutex_register_(&m, 2, false), 0);
    assert_word(&m, FENCED | WAKING | WAITERS(3));
}

TEST(a_registered_thread_takes_and_leaves_the_queue)
{
    m.state_ = FENCED | WAKING | WAITERS(2);
    fw_mutex_lock_registered_(&m);
    assert_word(&m, MINE | FENCED | WAITERS(1));
}

static uint32_t futex;

TEST(a_second_late_wake_is_refused)
{
    m.state_ = MINE;
    assert_true(fw_mutex_register_held_(&m, &futex, NULL));
    assert_false(fw_mutex_register_held_(&m, &futex, NULL));
    assert_word(&m, MINE | FENCED | WAKING | WAITERS(1));
}

TEST(only_a_holder_wakes_late)
{
    assert_false(fw_mutex_register_held_(&m, &futex, NULL));
    m.state_ = HELD(OWNER);
    assert_false(fw_mutex_register_held_(&m, &futex, NULL));
    assert_word(&m, HELD(OWNER));
}

TEST(of_a_real_time_thread_the_word_knows)
{
    m.state_ = HELD(OWNER) | FENCED | WAITERS(1);
    assert_int_equal(fw_mutex_register_(&m, 2, true), 0);
    assert_word(&m, HELD(OWNER) | FENCED | URGENT | WAITERS(3));
}

UNIT_MAIN(reset_mutex, NULL)
