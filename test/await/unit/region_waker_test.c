/* SPDX-License-Identifier: MIT */
/* Operations on the locks of regions that have a loop and a waker. */
#include <errno.h>
#include <pthread.h>

#include "region_fixture.h"
#include "test/support/child.h"
#include "test/support/deadline.h"

static fw_await a, b;
static unsigned calls[2];

static void wake(void *count)
{
    __atomic_fetch_add((unsigned *)count, 1, __ATOMIC_RELEASE);
}

static unsigned count(unsigned i)
{
    return __atomic_load_n(&calls[i], __ATOMIC_ACQUIRE);
}

static void prepare(fw_await *op, fw_task task, unsigned i)
{
    calls[i] = 0;
    fw_await_init_loop_waker(op, loop, task, wake, &calls[i]);
}

EACH(refuses)
{
    const fw_deadline later = in_ms(60000);

    fw_await_init_waker(&a, TASK(1), wake, &calls[0]);
    assert_int_equal(fw_await_ipc_mutex(&a, m, NULL), EINVAL);
    prepare(&a, TASK(1), 0);
    assert_int_equal(fw_await_ipc_mutex(&a, m, NULL), 0);
    prepare(&b, TASK(2), 1);
    assert_int_equal(fw_await_ipc_mutex(&b, m, &later), EINVAL);
    assert_int_equal(fw_loop_post(&b), EINVAL);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(1)), 0);
    assert_int_equal(count(0) + count(1), 0);
}

/* Neither a loop nor a waker: nobody could be told. */
EACH(needs_either)
{
    fw_mutex mutex = FW_MUTEX_INIT;

    fw_mutex_lock(&mutex);
    fw_await_init(&a, NULL, TASK(1), NULL);
    assert_int_equal(fw_await_mutex(&a, &mutex, NULL), EINVAL);
    fw_mutex_unlock(&mutex);
}

static void *release(void *none)
{
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(1)), 0);
    return none;
}

/* By a task of the process, in any thread: the loop has nothing to do with it. */
EACH(is_woken_by_the_release)
{
    pthread_t thread;

    prepare(&a, TASK(1), 0);
    assert_int_equal(fw_await_ipc_mutex(&a, m, NULL), 0);
    prepare(&b, TASK(2), 1);
    assert_int_equal(fw_await_ipc_mutex(&b, m, NULL), EINPROGRESS);
    assert_int_equal(fw_await_poll(&b), EINPROGRESS);
    assert_int_equal(pthread_create(&thread, NULL, release, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(count(1), 1);
    assert_int_equal(fw_await_poll(&b), 0);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(2)), 0);
}

/* By another process: when the loop is run. */
EACH(is_woken_by_the_loop)
{
    void *old = NULL;
    pid_t child = start_holder(hold_mutex);

    prepare(&a, TASK(1), 0);
    assert_int_equal(fw_await_ipc_mutex(&a, m, NULL), EINPROGRESS);
    calls[1] = 0;
    assert_int_equal(fw_await_set_waker(&a, wake, &calls[1], &old), EINPROGRESS);
    assert_ptr_equal(old, &calls[0]);
    shared[1] = 1;
    while (count(1) == 0)
        if (fw_loop_wait(loop, NULL) == 0)
            fw_loop_run(loop, 0);
    assert_int_equal(count(0), 0);
    assert_int_equal(fw_await_set_waker(&a, wake, &calls[0], &old), 0);
    assert_null(old);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(1)), 0);
    finish(child);
}

EACH(gives_up)
{
    prepare(&a, TASK(1), 0);
    assert_int_equal(fw_await_ipc_mutex(&a, m, NULL), 0);
    prepare(&b, TASK(2), 1);
    assert_int_equal(fw_await_ipc_mutex(&b, m, NULL), EINPROGRESS);
    assert_true(fw_await_cancel(&b));
    assert_int_equal(fw_await_ipc_mutex(&b, m, NULL), EINPROGRESS);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(1)), 0);
    assert_int_equal(count(1), 1);
    assert_false(fw_await_drop(&b));
    assert_int_equal(fw_ipc_mutex_trylock(m), 0);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
}

UNIT_MAIN(NULL, NULL)
