/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include <furwock/await.h>

#include "core/operation.h"
#include "test/support/unit.h"

/* src/await/noted.c, and that whoever is told is told before `done`, and before the waker. */

static fw_mutex mutex;
static fw_rwlock rwlock;
static fw_sem sem;
static fw_event event;
static fw_latch latch;
static fw_cond cond;
static fw_loop *loop;
static fw_task task;
static fw_await op;
static int told, done_with, n_woken;

static void tell(const fw_await *of, int error)
{
    assert_ptr_equal(of, &op);
    assert_int_equal(told, -1);
    assert_int_equal(done_with, -1);
    assert_int_equal(n_woken, 0);
    told = error;
}

static void done(fw_await *of, int error)
{
    (void)of;
    done_with = error;
}

static void wake(void *arg)
{
    (void)arg;
    n_woken++;
}

static int make(void)
{
    mutex = (fw_mutex)FW_MUTEX_INIT;
    rwlock = (fw_rwlock)FW_RWLOCK_INIT;
    sem = (fw_sem)FW_SEM_INIT(0);
    event = (fw_event)FW_EVENT_INIT;
    latch = (fw_latch)FW_LATCH_INIT(1);
    cond = (fw_cond)FW_COND_INIT;
    told = done_with = -1;
    n_woken = 0;
    fw_await_told_ = tell;
    if (fw_loop_create(&loop, NULL) != 0 || fw_task_begin(&task) != 0)
        return -1;
    fw_await_init(&op, loop, task, done);
    return 0;
}

static void unmake(void)
{
    fw_await_told_ = NULL;
    (void)fw_await_drop(&op);
    fw_task_end(task);
    (void)fw_loop_destroy(loop);
}

static void assert_has(enum fw_await_has_ has)
{
    assert_true(fw_await_waits_(&op));
    assert_int_equal(fw_await_has_(&op, 0), has);
    assert_int_equal(fw_await_has_(&op, ECANCELED), FW_AWAIT_NOTHING_);
}

/* It waits, would have that, and is dropped. */
static void assert_waits_for(int submitted, enum fw_await_has_ has)
{
    assert_int_equal(submitted, EINPROGRESS);
    assert_has(has);
    assert_true(fw_await_drop(&op));
}

TEST(says_what_a_mutex_gives)
{
    fw_mutex_lock(&mutex);
    assert_false(fw_await_waits_(&op));
    assert_int_equal(fw_await_mutex(&op, &mutex, NULL), EINPROGRESS);
    assert_has(FW_AWAIT_WRITES_);
    assert_int_equal(fw_await_has_(&op, ETIMEDOUT), FW_AWAIT_NOTHING_);
    assert_true(fw_await_drop(&op));
    assert_false(fw_await_waits_(&op));
    fw_mutex_unlock(&mutex);
}

TEST(says_in_which_mode_a_lock_is_held)
{
    fw_rwlock_wrlock(&rwlock);
    assert_waits_for(fw_await_rdlock(&op, &rwlock, NULL), FW_AWAIT_READS_);
    assert_waits_for(fw_await_wrlock(&op, &rwlock, NULL), FW_AWAIT_WRITES_);
    fw_rwlock_unlock(&rwlock);
}

TEST(knows_what_only_lets_through)
{
    fw_deadline later = {.clock = CLOCK_MONOTONIC, .at.tv_sec = 1000000000};

    assert_waits_for(fw_await_sem(&op, &sem, NULL), FW_AWAIT_UNIT_);
    assert_waits_for(fw_await_event(&op, &event, NULL), FW_AWAIT_UNIT_);
    assert_waits_for(fw_await_latch(&op, &latch, NULL), FW_AWAIT_UNIT_);
    assert_int_equal(fw_await_timer(&op, &later), EINPROGRESS);
    assert_has(FW_AWAIT_NOTHING_);
}

TEST(knows_that_the_mutex_of_a_condition_is_held_after_the_deadline)
{
    fw_task_switch(task);
    fw_mutex_lock(&mutex);
    assert_int_equal(fw_await_cond(&op, &cond, &mutex, NULL), EINPROGRESS);
    fw_task_switch(0);
    assert_has(FW_AWAIT_WRITES_);
    assert_int_equal(fw_await_has_(&op, ETIMEDOUT), FW_AWAIT_WRITES_);
}

TEST(knows_whose_it_is)
{
    assert_false(fw_await_is_mine_(&op));
    fw_task_switch(task);
    assert_true(fw_await_is_mine_(&op));
    fw_task_switch(0);
    fw_await_init(&op, loop, 0, done);
    assert_true(fw_await_is_mine_(&op));
}

TEST(tells_before_done)
{
    assert_int_equal(fw_await_sem(&op, &sem, NULL), EINPROGRESS);
    assert_int_equal(fw_sem_post(&sem), 0);
    assert_int_equal(told, -1);
    assert_int_equal(fw_loop_run(loop, 0), 1);
    assert_int_equal(told, 0);
    assert_int_equal(done_with, 0);
}

TEST(tells_of_one_that_is_polled)
{
    fw_await_init(&op, loop, task, NULL);
    assert_int_equal(fw_await_sem(&op, &sem, NULL), EINPROGRESS);
    assert_int_equal(fw_sem_post(&sem), 0);
    assert_int_equal(fw_loop_run(loop, 0), 1);
    assert_int_equal(told, 0);
    assert_int_equal(fw_await_poll(&op), 0);
}

TEST(tells_before_the_waker)
{
    fw_await_init_waker(&op, task, wake, NULL);
    assert_int_equal(fw_await_sem(&op, &sem, NULL), EINPROGRESS);
    assert_int_equal(fw_sem_post(&sem), 0);
    assert_int_equal(told, EINPROGRESS);
    assert_int_equal(n_woken, 1);
}

UNIT_MAIN(make, unmake)
