/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "region_fixture.h"
#include "sys/thread.h"
#include "test/support/child.h"
#include "test/support/deadline.h"

static struct asked a, b;

/* --- At once ---------------------------------------------------------------------------------- */

EACH(takes_a_free_one)
{
    assert_int_equal(ask_for_mutex(&a, 1), 0);
    assert_int_equal(fw_await_poll(&a.op), 0);
    assert_int_equal(ask_for_mutex(&b, 1), EDEADLK);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(2)), EPERM);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(1)), 0);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(1)), EPERM);
    ask_for(&a, 0);
    assert_int_equal(fw_await_ipc_mutex(&a.op, m, NULL), 0);
    assert_true(fw_ipc_mutex_is_held_by_me(m));
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
}

/* Another task with the same 14 bits in the word is not taken for the holder. */
EACH(tells_tasks_apart)
{
    fw_task one = TASK(5), same = TASK(5 + 16383);

    ask_for(&a, one);
    assert_int_equal(fw_await_ipc_mutex(&a.op, m, NULL), 0);
    ask_for(&b, same);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, same), EPERM);
    assert_int_equal(fw_await_ipc_mutex(&b.op, m, NULL), EINPROGRESS);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, one), 0);
    run_until(&b.ends, 1);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, one), EPERM);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, same), 0);
}

EACH(refuses)
{
    fw_ipc_mutex elsewhere = FW_IPC_MUTEX_INIT;

    ask_for(&a, TASK(1));
    assert_int_equal(fw_await_ipc_mutex(&a.op, &elsewhere, NULL), EINVAL);
    fw_await_init_waker(&a.op, TASK(1), NULL, NULL);
    assert_int_equal(fw_await_ipc_mutex(&a.op, m, NULL), EINVAL);
}

/* --- From others ------------------------------------------------------------------------------ */

EACH(gets_it_from_another_process)
{
    pid_t child = start_holder(hold_mutex);

    assert_int_equal(ask_for_mutex(&a, 1), EINPROGRESS);
    assert_int_equal(ask_for_mutex(&b, 2), EINPROGRESS);
    assert_int_equal(fw_loop_destroy(loop), EBUSY);
    assert_int_equal(fw_loop_run(loop, 0), 0);
    shared[1] = 1;
    run_until(&a.ends, 1);
    assert_int_equal(a.error, 0);
    assert_int_equal(b.ends, 0);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(1)), 0);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(1)), EPERM); /* it is the other's by now */
    run_until(&b.ends, 1);
    assert_int_equal(b.error, 0);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(2)), 0);
    finish(child);
}

EACH(learns_of_a_death)
{
    pid_t child = start_holder(hold_mutex);

    assert_int_equal(ask_for_mutex(&a, 1), EINPROGRESS);
    fw_loop_run(loop, 0);
    kill_and_wait(child);
    run_until(&a.ends, 1);
    assert_int_equal(a.error, EOWNERDEAD);
    assert_int_equal(fw_task_ipc_mutex_consistent(m, TASK(2)), EPERM);
    assert_int_equal(fw_task_ipc_mutex_consistent(m, TASK(1)), 0);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(1)), 0);
}

/* Dropped between the grant and its delivery: the next one is told. */
EACH(tells_the_next_of_a_death)
{
    pid_t child = start_holder(hold_mutex);

    assert_int_equal(ask_for_mutex(&a, 1), EINPROGRESS);
    kill_and_wait(child);
    assert_int_equal(ask_for_mutex(&b, 2), EINPROGRESS); /* looks for the first of the queue */
    assert_false(fw_await_drop(&a.op));
    run_until(&b.ends, 1);
    assert_int_equal(b.error, EOWNERDEAD);
    assert_int_equal(fw_task_ipc_mutex_consistent(m, TASK(2)), 0);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(2)), 0);
    assert_int_equal(a.ends, 0);
}

/* What an operation remembers of a dead holder is of this use of it, not of the one before. */
EACH(forgets_a_death)
{
    pid_t child = start_holder(hold_mutex);
    struct asked first;

    assert_int_equal(ask_for_mutex(&a, 1), EINPROGRESS);
    kill_and_wait(child);
    run_until(&a.ends, 1);
    assert_int_equal(a.error, EOWNERDEAD);
    assert_int_equal(fw_task_ipc_mutex_consistent(m, TASK(1)), 0);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(1)), 0);
    assert_int_equal(ask_for_mutex(&first, 2), 0);
    assert_int_equal(ask_for_mutex(&b, 3), EINPROGRESS);
    assert_int_equal(fw_await_ipc_mutex(&a.op, m, NULL), EINPROGRESS); /* behind it: no look */
    assert_true(fw_await_cancel(&b.op));
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(2)), 0); /* to the task that waits */
    assert_false(fw_await_drop(&a.op));
    assert_int_equal(fw_ipc_mutex_trylock(m), 0);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
}

EACH(gives_up_for_good)
{
    pid_t child = start_holder(hold_mutex);

    assert_int_equal(ask_for_mutex(&a, 1), EINPROGRESS);
    assert_int_equal(ask_for_mutex(&b, 2), EINPROGRESS);
    kill_and_wait(child);
    run_until(&a.ends, 1);
    assert_int_equal(a.error, EOWNERDEAD);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(1)), 0); /* not repaired */
    run_until(&b.ends, 1);
    assert_int_equal(b.error, ENOTRECOVERABLE);
    assert_int_equal(fw_ipc_mutex_lock(m), ENOTRECOVERABLE);
}

/* --- Giving up -------------------------------------------------------------------------------- */

EACH(cancels_and_times_out)
{
    pid_t child = start_holder(hold_mutex);
    fw_deadline soon, past = in_ms(-1);

    ask_for(&a, TASK(1));
    ask_for(&b, TASK(2));
    assert_int_equal(fw_await_ipc_mutex(&a.op, m, &past), ETIMEDOUT);
    assert_int_equal(fw_await_ipc_mutex(&a.op, m, NULL), EINPROGRESS);
    soon = in_ms(60);
    b.error = fw_await_ipc_mutex(&b.op, m, &soon);
    assert_true(fw_await_cancel(&a.op));
    if (b.error == EINPROGRESS)
        run_until(&b.ends, 1);
    assert_int_equal(b.error, ETIMEDOUT); /* perhaps at once, if this process had to wait */
    shared[1] = 1;
    finish(child);
    assert_int_equal(a.ends, 0);
    assert_int_equal(fw_ipc_mutex_lock(m), 0);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
}

/* The wake that an operation without a future was given goes to a thread behind it. */
static void lock_and_say(void *arg)
{
    (void)arg;
    _exit(fw_ipc_mutex_lock(m));
}

EACH(passes_a_wake_on)
{
    pid_t child = start_holder(hold_mutex), behind;

    assert_int_equal(ask_for_mutex(&a, 1), EINPROGRESS);
    fw_loop_run(loop, 0);
    behind = start_asleep(lock_and_say, NULL);
    assert_true(fw_await_cancel(&a.op));
    shared[1] = 1;
    finish(child);
    assert_int_equal(fw_loop_wait(loop, NULL), 0);
    fw_loop_run(loop, 0);
    finish(behind);
    assert_int_equal(fw_ipc_mutex_lock(m), EOWNERDEAD);
    assert_int_equal(fw_ipc_mutex_consistent(m), 0);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
}

/* --- Others find the dead --------------------------------------------------------------------- */

static void ask_and_stay(void *arg)
{
    (void)arg;
    loop = new_loop();
    if (ask_for_mutex(&a, 1) == EINPROGRESS)
        run_until(&a.ends, 1);
    shared[2] = 1;
    pause();
}

EACH(is_found_dead)
{
    pid_t child;

    shared[2] = 0;
    child = start(ask_and_stay, NULL);
    await_word(&shared[2]);
    assert_int_equal(ask_for_mutex(&b, 1), EINPROGRESS); /* another's task */
    kill_and_wait(child);
    run_until(&b.ends, 1);
    assert_int_equal(b.error, EOWNERDEAD);
    assert_int_equal(fw_task_ipc_mutex_consistent(m, TASK(1)), 0);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(1)), 0);
}

/* A process is killed whose wait comes first: those behind it go on. */
EACH(dies_as_a_waiter)
{
    pid_t child = start_holder(hold_mutex), victim;

    shared[2] = 0;
    victim = start_asleep(ask_and_stay, NULL);
    assert_int_equal(ask_for_mutex(&b, 3), EINPROGRESS);
    fw_loop_run(loop, 0);
    kill(victim, SIGKILL);
    shared[1] = 1;
    run_until(&b.ends, 1);
    if (b.error == EOWNERDEAD) /* it had got it */
        assert_int_equal(fw_task_ipc_mutex_consistent(m, TASK(3)), 0);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(3)), 0);
    waitpid(victim, NULL, 0);
    finish(child);
}

/* --- Across threads and forks ----------------------------------------------------------------- */

static void *unlock_as_task(void *error)
{
    uint32_t before = fw_act_as_(TASK(5));

    *(int *)error = fw_ipc_mutex_unlock(m);
    fw_act_as_(before);
    return NULL;
}

EACH(is_released_in_another_thread)
{
    pthread_t thread;
    int error = -1;

    assert_int_equal(ask_for_mutex(&a, 5), 0);
    pthread_create(&thread, NULL, unlock_as_task, &error);
    pthread_join(thread, NULL);
    assert_int_equal(error, 0);
}

static void child_of_a_loop(void *arg)
{
    (void)arg;
    if (!fw_await_cancel(&a.op) || fw_await_ipc_mutex(&b.op, m, NULL) != EINVAL)
        _exit(1);
    if (fw_loop_destroy(loop) != 0 || fw_task_ipc_mutex_unlock(m, TASK(1)) != EPERM)
        _exit(2);
    loop = new_loop();
    if (ask_for_mutex(&a, 1) != EINPROGRESS)
        _exit(3);
    shared[1] = 1;
    run_until(&a.ends, 1);
    _exit(fw_task_ipc_mutex_unlock(m, TASK(1)));
}

EACH(goes_on_in_parent_and_child)
{
    pid_t holder = start_holder(hold_mutex), child;

    ask_for(&a, TASK(1));
    ask_for(&b, TASK(2));
    assert_int_equal(fw_await_ipc_mutex(&a.op, m, NULL), EINPROGRESS);
    child = start(child_of_a_loop, NULL);
    run_until(&a.ends, 1);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(1)), 0);
    finish(child);
    finish(holder);
}

UNIT_MAIN(need_robust, NULL)
