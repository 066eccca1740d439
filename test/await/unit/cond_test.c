/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>

#include <furwock/await.h>

#include "core/operation.h"
#include "sys/clock.h"
#include "test/support/unit.h"

/* Operations that wait for condition variables: src/await/cond.c, src/thread/cond_operation.c. */

enum { N = 40 };

static fw_mutex mutex;
static fw_cond cond;
static fw_task task[N];
static fw_await op[N];
static fw_loop *loop;
static unsigned n_woken, n_done;
static int last_error;

static void wake(void *arg)
{
    (void)arg;
    n_woken++;
}

static void done(fw_await *o, int error)
{
    (void)o;
    n_done++;
    last_error = error;
}

static int make(void)
{
    fw_mutex_init(&mutex);
    fw_cond_init(&cond);
    n_woken = n_done = 0;
    for (unsigned i = 0; i < N; i++) {
        if (fw_task_begin(&task[i]) != 0)
            return 1;
        fw_await_init_waker(&op[i], task[i], wake, NULL);
    }
    return fw_loop_create(&loop, NULL);
}

static void unmake(void)
{
    assert_int_equal(fw_loop_destroy(loop), 0);
    for (unsigned i = 0; i < N; i++)
        fw_task_end(task[i]);
    assert_true((uint32_t)mutex.state_ == 0);
    assert_true((cond.waiters_ & 1) == 0);
}

/* The task locks the mutex and waits. */
static void await_signal(unsigned i)
{
    fw_await lock;

    fw_await_init_waker(&lock, task[i], NULL, NULL);
    if (fw_await_mutex(&lock, &mutex, NULL) != 0)
        while (fw_await_poll(&lock) == EINPROGRESS)
            fw_yield_();
    assert_int_equal(fw_await_cond(&op[i], &cond, &mutex, NULL), EINPROGRESS);
    fw_mutex_lock(&mutex); /* it was given up */
    fw_mutex_unlock(&mutex);
}

static void unlock(unsigned i)
{
    fw_task_mutex_unlock(&mutex, task[i]);
}

static void has_mutex(unsigned i)
{
    assert_int_equal(fw_await_poll(&op[i]), 0);
    assert_int_equal(fw_mutex_trylock(&mutex), EBUSY);
    unlock(i);
}

TEST(signals_are_given_in_order)
{
    for (unsigned i = 0; i < 3; i++)
        await_signal(i);
    assert_int_equal(fw_cond_signal(&cond), 1);
    assert_int_equal(fw_await_poll(&op[1]), EINPROGRESS);
    has_mutex(0);
    assert_int_equal(n_woken, 1);
    assert_int_equal(fw_cond_signal(&cond), 1);
    assert_int_equal(fw_cond_signal(&cond), 1);
    assert_int_equal(fw_cond_signal(&cond), 0);
    has_mutex(1);
    has_mutex(2);
}

TEST(who_is_signalled_waits_for_the_mutex)
{
    await_signal(0);
    fw_mutex_lock(&mutex);
    fw_cond_signal(&cond);
    assert_int_equal(n_woken, 1);
    assert_int_equal(fw_await_poll(&op[0]), EINPROGRESS); /* goes to the mutex */
    assert_int_equal(fw_await_poll(&op[0]), EINPROGRESS);
    fw_mutex_unlock(&mutex);
    assert_int_equal(n_woken, 2);
    has_mutex(0);
}

TEST(the_waker_of_the_second_phase_may_be_another)
{
    void *old = &op;

    await_signal(0);
    fw_mutex_lock(&mutex);
    fw_cond_signal(&cond);
    assert_int_equal(fw_await_set_waker(&op[0], wake, &op, &old), EINPROGRESS);
    assert_null(old); /* it was given away */
    assert_int_equal(fw_await_set_waker(&op[0], wake, NULL, &old), EINPROGRESS);
    assert_ptr_equal(old, &op);
    fw_mutex_unlock(&mutex);
    has_mutex(0);
}

TEST(a_broadcast_signals_all)
{
    for (unsigned i = 0; i < N; i++)
        await_signal(i);
    assert_int_equal(fw_cond_broadcast(&cond), N);
    assert_int_equal(n_woken, N);
    for (unsigned i = 0; i < N; i++)
        has_mutex(i);
    assert_int_equal(fw_cond_broadcast(&cond), 0);
}

TEST(who_is_cancelled_has_neither_signal_nor_mutex)
{
    await_signal(0);
    await_signal(1);
    assert_true(fw_await_cancel(&op[0]));
    assert_int_equal(fw_cond_signal(&cond), 1);
    has_mutex(1);
    await_signal(0);
    assert_true(fw_await_cancel(&op[0]));
    assert_int_equal(fw_cond_signal(&cond), 0);
}

TEST(a_signal_of_one_that_is_cancelled_is_passed_on)
{
    await_signal(0);
    await_signal(1);
    await_signal(2);
    fw_cond_signal(&cond);
    assert_true(fw_await_cancel(&op[0])); /* signalled */
    fw_mutex_lock(&mutex);
    assert_int_equal(fw_await_poll(&op[1]), EINPROGRESS);
    assert_true(fw_await_cancel(&op[1])); /* queued for the mutex */
    fw_mutex_unlock(&mutex);
    has_mutex(2);
}

TEST(one_that_is_dropped_gives_back_the_mutex_and_the_signal)
{
    await_signal(0);
    await_signal(1);
    fw_mutex_lock(&mutex);
    fw_cond_signal(&cond);
    assert_int_equal(fw_await_poll(&op[0]), EINPROGRESS);
    fw_mutex_unlock(&mutex);
    assert_false(fw_await_drop(&op[0]));
    has_mutex(1);
}

static void run_until(unsigned n)
{
    while (n_done < n) {
        assert_int_equal(fw_loop_wait(loop, NULL), 0);
        fw_loop_run(loop, 0);
    }
}

static void submit_timed(unsigned i, uint64_t ns)
{
    fw_task before = fw_task_switch(task[i]);
    int error;

    fw_await_init(&op[i], loop, task[i], done);
    fw_mutex_lock(&mutex);
    do { /* until it is queued before its deadline is over */
        fw_deadline at = fw_deadline_in_(CLOCK_MONOTONIC, ns);
        error = fw_await_cond(&op[i], &cond, &mutex, &at);
    } while (error == ETIMEDOUT);
    assert_int_equal(error, EINPROGRESS);
    fw_task_switch(before);
}

TEST(a_loop_delivers_it_with_the_mutex)
{
    submit_timed(0, UINT64_C(3600000000000));
    submit_timed(1, UINT64_C(3600000000000));
    fw_cond_broadcast(&cond);
    run_until(1);
    assert_int_equal(last_error, 0);
    assert_int_equal(n_done, 1); /* the other waits for the mutex */
    unlock(0);
    run_until(2);
    unlock(1);
}

TEST(a_deadline_ends_it_with_the_mutex)
{
    submit_timed(0, 1000000);
    run_until(1);
    assert_int_equal(last_error, ETIMEDOUT);
    unlock(0);
    submit_timed(1, 1000000);
    fw_mutex_lock(&mutex);
    while (fw_loop_run(loop, 0) == 0 && op[1].want_ == 0)
        assert_int_equal(fw_loop_wait(loop, NULL), 0);
    assert_int_equal(fw_cond_signal(&cond), 0);
    assert_int_equal(n_done, 1);
    fw_mutex_unlock(&mutex);
    run_until(2);
    assert_int_equal(last_error, ETIMEDOUT);
    unlock(1);
}

/* Granted the mutex after its deadline, and cancelled before its loop has delivered that. */
TEST(a_deadline_is_told_after_cancel)
{
    submit_timed(0, 1000000);
    fw_mutex_lock(&mutex);
    while (fw_loop_run(loop, 0) == 0 && op[0].want_ == 0)
        assert_int_equal(fw_loop_wait(loop, NULL), 0);
    fw_mutex_unlock(&mutex);
    while (fw_load32_acquire(&op[0].state_) != FW_OPERATION_GRANTED)
        assert_int_equal(fw_loop_wait(loop, NULL), 0);
    assert_false(fw_await_cancel(&op[0]));
    assert_int_equal(fw_await_poll(&op[0]), ETIMEDOUT);
    unlock(0);
}

static int ready;

static void *wait_for_signal(void *unused)
{
    fw_mutex_lock(&mutex);
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
    fw_cond_wait(&cond, &mutex);
    fw_mutex_unlock(&mutex);
    return unused;
}

TEST(threads_and_operations_are_in_one_queue)
{
    pthread_t thread;

    ready = 0;
    await_signal(0);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_signal, NULL), 0);
    while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
        fw_yield_();
    await_signal(1); /* the thread has given the mutex up: it is queued */
    assert_int_equal(fw_cond_signal(&cond), 1);
    has_mutex(0);
    assert_int_equal(fw_cond_signal(&cond), 1);
    pthread_join(thread, NULL);
    assert_int_equal(fw_await_poll(&op[1]), EINPROGRESS);
    assert_int_equal(fw_cond_broadcast(&cond), 1);
    has_mutex(1);
}

UNIT_MAIN(make, unmake)
