/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include <furwock/await.h>
#include <furwock/mutex.h>

#include "sys/clock.h"
#include "test/sys/unit/in_child.h"
#include "thread/mutex_word.h"

/* fw_await_mutex: src/await/mutex.c and src/thread/mutex_queue.c, with the real kernel. */

enum { TASKS = 5 };

static fw_loop *loop;
static fw_mutex m;
static fw_task tasks[TASKS];
static fw_await ops[TASKS];
static char order[64]; /* who was told, as letters; in capitals: of an error */
static int last_error;

static void done(fw_await *op, int error)
{
    size_t n = strlen(order);

    order[n] = (char)((error == 0 ? 'a' : 'A') + (op - ops));
    order[n + 1] = 0;
    last_error = error;
}

static int make(void)
{
    m = (fw_mutex)FW_MUTEX_INIT;
    order[0] = 0;
    if (fw_loop_create(&loop, NULL) != 0)
        return -1;
    for (unsigned i = 0; i < TASKS; i++) {
        if (fw_task_begin(&tasks[i]) != 0)
            return -1;
        fw_await_init(&ops[i], loop, tasks[i], done);
    }
    return 0;
}

static void unmake(void)
{
    assert_int_equal(fw_loop_destroy(loop), 0);
    for (unsigned i = 0; i < TASKS; i++)
        fw_task_end(tasks[i]);
    assert_int_equal(m.state_ & ~(MUTEX_FENCED | MUTEX_GENERATION), 0);
}

static bool owns(unsigned i)
{
    return owner_half(fw_load64_relaxed(&m.state_)) == tasks[i];
}

static void enqueue(unsigned first, unsigned n)
{
    for (unsigned i = first; i < first + n; i++)
        assert_int_equal(fw_await_mutex(&ops[i], &m, NULL), EINPROGRESS);
}

static void release(unsigned i)
{
    assert_true(owns(i));
    fw_task_mutex_unlock(&m, tasks[i]);
}

TEST(a_free_mutex_is_taken_at_once)
{
    assert_int_equal(make(), 0);
    assert_int_equal(fw_await_mutex(&ops[0], &m, NULL), 0);
    assert_true(owns(0));
    assert_int_equal(fw_mutex_trylock(&m), EBUSY);
    assert_int_equal(fw_await_poll(&ops[0]), 0);
    assert_int_equal(fw_loop_run(loop, 0), 0);
    release(0);
    unmake();
}

TEST(those_that_wait_are_served_in_order)
{
    assert_int_equal(make(), 0);
    fw_mutex_lock(&m);
    enqueue(0, TASKS);
    assert_true(has_queue(m.state_) && is_fenced(m.state_) && !has_waiters(m.state_));
    assert_int_equal(fw_await_mutex(&ops[1], &m, NULL), EBUSY);
    assert_int_equal(fw_loop_destroy(loop), EBUSY);
    fw_mutex_unlock(&m);
    for (unsigned i = 0; i < TASKS; i++) {
        assert_true(owns(i)); /* though it is not told yet */
        assert_int_equal(has_queue(m.state_), i < TASKS - 1);
        assert_int_equal(fw_loop_run(loop, 0), 1);
        release(i);
    }
    assert_string_equal(order, "abcde");
    unmake();
}

TEST(a_cancelled_one_never_holds_it)
{
    assert_int_equal(make(), 0);
    fw_mutex_lock(&m);
    enqueue(0, 3);
    assert_true(fw_await_cancel(&ops[1]));
    assert_true(fw_await_cancel(&ops[1]));
    fw_mutex_unlock(&m);
    release(0);
    assert_true(owns(2));
    assert_int_equal(fw_loop_run(loop, 0), 2);
    assert_string_equal(order, "ac");
    release(2);
    fw_mutex_lock(&m);
    enqueue(1, 1);
    assert_true(has_queue(m.state_));
    assert_true(fw_await_drop(&ops[1]));
    assert_false(has_queue(m.state_));
    fw_mutex_unlock(&m);
    assert_int_equal(fw_loop_run(loop, 0), 0);
    unmake();
}

TEST(one_that_was_granted_must_take_or_drop_it)
{
    assert_int_equal(make(), 0);
    fw_mutex_lock(&m);
    enqueue(0, 3);
    fw_mutex_unlock(&m);
    assert_false(fw_await_cancel(&ops[0]));
    release(0); /* it was the caller's */
    assert_false(fw_await_drop(&ops[1]));
    assert_true(owns(2));
    assert_int_equal(fw_loop_run(loop, 0), 1);
    assert_string_equal(order, "c");
    release(2);
    unmake();
}

/* With a deadline that is over soon, but not before it is queued. */
static int await_for_a_moment(fw_await *op)
{
    int error;

    do {
        fw_deadline soon = fw_deadline_in_(CLOCK_MONOTONIC, 1000000);
        error = fw_await_mutex(op, &m, &soon);
    } while (error == ETIMEDOUT);
    return error;
}

TEST(a_deadline_ends_the_wait)
{
    fw_deadline over = {.clock = CLOCK_MONOTONIC};
    fw_deadline late = fw_deadline_in_(CLOCK_MONOTONIC, UINT64_C(1000000000000));

    assert_int_equal(make(), 0);
    fw_mutex_lock(&m);
    assert_int_equal(fw_await_mutex(&ops[0], &m, &over), ETIMEDOUT);
    assert_int_equal(await_for_a_moment(&ops[0]), EINPROGRESS);
    assert_int_equal(fw_await_mutex(&ops[1], &m, &late), EINPROGRESS);
    while (fw_loop_run(loop, 0) == 0)
        assert_int_equal(fw_loop_wait(loop, NULL), 0);
    assert_string_equal(order, "A");
    assert_int_equal(last_error, ETIMEDOUT);
    fw_mutex_unlock(&m);
    assert_true(owns(1));
    assert_int_equal(fw_loop_run(loop, 0), 1);
    assert_int_equal(fw_await_mutex(&ops[0], &m, &over), ETIMEDOUT);
    release(1);
    assert_int_equal(fw_await_mutex(&ops[0], &m, &over), 0); /* it is free */
    release(0);
    unmake();
}

static void note(void *arg)
{
    ++*(unsigned *)arg;
}

TEST(a_waker_is_called_by_the_release)
{
    unsigned called[2] = {0, 0};
    void *old;

    assert_int_equal(make(), 0);
    fw_await_init_waker(&ops[0], tasks[0], note, &called[0]);
    fw_mutex_lock(&m);
    enqueue(0, 1);
    assert_int_equal(fw_await_set_waker(&ops[0], note, &called[1], &old), EINPROGRESS);
    assert_ptr_equal(old, &called[0]);
    fw_mutex_unlock(&m);
    assert_int_equal(called[0], 0);
    assert_int_equal(called[1], 1);
    assert_int_equal(fw_await_poll(&ops[0]), 0);
    release(0);
    unmake();
}

TEST(the_first_of_a_group_has_it)
{
    fw_mutex other = FW_MUTEX_INIT;
    fw_await_group group;

    assert_int_equal(make(), 0);
    fw_mutex_lock(&m);
    fw_mutex_lock(&other);
    fw_await_group_init(&group);
    fw_await_group_add(&group, &ops[0]);
    fw_await_group_add(&group, &ops[1]);
    enqueue(0, 1);
    assert_int_equal(fw_await_mutex(&ops[1], &other, NULL), EINPROGRESS);
    fw_mutex_unlock(&other);
    assert_ptr_equal(fw_await_group_winner(&group), &ops[1]);
    assert_true(has_queue(m.state_));
    fw_mutex_unlock(&m); /* nobody wants it any more */
    assert_false(has_queue(m.state_));
    assert_int_equal(fw_mutex_trylock(&m), 0);
    fw_mutex_unlock(&m);
    assert_int_equal(fw_loop_run(loop, 0), 1);
    assert_true(fw_await_cancel(&ops[0]));
    fw_task_mutex_unlock(&other, tasks[1]);
    unmake();
}

static void *lock_and_unlock(void *locked)
{
    fw_mutex_lock(&m);
    __atomic_store_n((bool *)locked, true, __ATOMIC_RELAXED);
    fw_mutex_unlock(&m);
    return NULL;
}

static void wait_for_waiter(void)
{
    while (!has_waiters(__atomic_load_n(&m.state_, __ATOMIC_RELAXED)))
        sched_yield();
}

/* Whenever it is granted the mutex; a thread may come before. */
static void release_when_granted(unsigned i)
{
    while (fw_await_poll(&ops[i]) == EINPROGRESS)
        sched_yield();
    release(i);
}

/* A thread and two operations wait. */
static void serve_both(bool fair)
{
    pthread_t thread;
    bool locked = false;

    assert_int_equal(make(), 0);
    fw_mutex_lock(&m);
    assert_int_equal(pthread_create(&thread, NULL, lock_and_unlock, &locked), 0);
    wait_for_waiter();
    enqueue(0, 2);
    if (fair) {
        fw_mutex_unlock_fair(&m);
        assert_true(owns(0));
        assert_false(__atomic_load_n(&locked, __ATOMIC_RELAXED));
    } else {
        fw_mutex_unlock(&m);
    }
    release_when_granted(0);
    release_when_granted(1);
    pthread_join(thread, NULL);
    assert_true(locked);
    unmake();
}

TEST(threads_and_operations_are_served)
{
    serve_both(false);
}

TEST(a_fair_release_takes_turns)
{
    serve_both(true);
}

static int use_in_child(void)
{
    fw_await op;

    fw_await_init_waker(&op, tasks[1], note, NULL);
    fw_mutex_unlock(&m); /* nobody waits here */
    if (!is_free(m.state_) || has_queue(m.state_))
        return 1;
    if (fw_await_mutex(&ops[0], &m, NULL) != EBUSY || !fw_await_cancel(&ops[0]))
        return 2;
    return fw_await_mutex(&op, &m, NULL) == 0 && owns(1) ? 0 : 3;
}

TEST(a_forked_child_has_no_operations)
{
    assert_int_equal(make(), 0);
    fw_mutex_lock(&m);
    enqueue(0, 2);
    assert_int_equal(in_child(use_in_child), 0);
    fw_mutex_unlock(&m);
    assert_int_equal(fw_loop_run(loop, 0), 1);
    release(0);
    release(1);
    fw_loop_run(loop, 0);
    unmake();
}

/* Takes the mutex for one task, has another queue for it by a waker, and ends. */
static void *leave_behind(void *called)
{
    assert_int_equal(fw_await_mutex(&ops[0], &m, NULL), 0);
    fw_await_init_waker(&ops[1], tasks[1], note, called);
    enqueue(1, 1);
    return NULL;
}

TEST(what_tasks_hold_outlives_the_threads_that_asked)
{
    unsigned called = 0;
    pthread_t thread;

    assert_int_equal(make(), 0);
    fw_await_init_waker(&ops[0], tasks[0], note, NULL);
    assert_int_equal(pthread_create(&thread, NULL, leave_behind, &called), 0);
    pthread_join(thread, NULL);
    assert_true(owns(0));
    enqueue(2, 1);
    assert_int_equal(called, 0);
    release(0);
    assert_int_equal(called, 1);
    assert_int_equal(fw_await_poll(&ops[1]), 0);
    assert_int_equal(pthread_create(&thread, NULL, lock_and_unlock, &(bool){false}), 0);
    wait_for_waiter();
    release(1);
    release_when_granted(2);
    pthread_join(thread, NULL);
    unmake();
}

static int lock_twice(void)
{
    (void)!fw_await_mutex(&ops[0], &m, NULL);
    (void)!fw_await_mutex(&ops[0], &m, NULL);
    return 0;
}

TEST(relocking_by_the_same_task_is_misuse)
{
    assert_int_equal(make(), 0);
    assert_int_equal(in_child(lock_twice), -SIGABRT);
    unmake();
}

UNIT_MAIN(NULL, NULL)
