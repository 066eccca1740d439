/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "region_fixture.h"
#include "test/support/child.h"
#include "test/support/deadline.h"

enum { MANY = 12 };

static struct asked a, b, other, many[MANY];
static fw_ipc_cond *c;

static void make_cond(void)
{
    memset((void *)(uintptr_t)shared, 0, 2048);
    c = (fw_ipc_cond *)(void *)(shared + 64);
    assert_int_equal(fw_ipc_cond_init(c), 0);
    assert_int_equal(fw_ipc_mutex_init(m), 0);
}

static void lock(unsigned task)
{
    struct asked o;

    if (ask_for_mutex(&o, task) == EINPROGRESS)
        run_until(&o.ends, 1);
}

static void unlock(unsigned task)
{
    assert_int_equal(fw_task_ipc_mutex_unlock(m, TASK(task)), 0);
}

static void ask_for_signal(struct asked *o, unsigned task, const fw_deadline *deadline)
{
    lock(task);
    ask_for(o, TASK(task));
    assert_int_equal(fw_await_ipc_cond(&o->op, c, m, deadline), EINPROGRESS);
}

static void signal_one(void *holds)
{
    int error = holds != NULL ? fw_ipc_mutex_lock(m) : 0;

    if (error == 0)
        error = fw_ipc_cond_signal(c);
    if (error == 0 && holds != NULL)
        error = fw_ipc_mutex_unlock(m);
    _exit(error);
}

static void signal_all(void *holds)
{
    if ((holds != NULL ? fw_ipc_mutex_lock(m) : 0) != 0 || fw_ipc_cond_broadcast(c) != 0)
        _exit(1);
    _exit(holds != NULL ? fw_ipc_mutex_unlock(m) : 0);
}

/* Of those that end at once, since a wait may end for nothing. */
static unsigned ended;

static void leave(fw_await *op, int error)
{
    struct asked *o = (struct asked *)op;

    o->ends++;
    o->error = error;
    ended++;
    assert_int_equal(error, 0);
    assert_int_equal(fw_task_ipc_mutex_unlock(m, op->task_), 0);
}

/* The loop goes on meanwhile: an operation may have the mutex, for nothing. */
static bool has_ended(void *child)
{
    fw_loop_run(loop, 0);
    return waitpid(*(pid_t *)child, NULL, WNOHANG) != 0;
}

static void signal_by(void (*signaller)(void *), void *holds)
{
    pid_t child = start(signaller, holds);

    assert_true(await_condition(has_ended, &child));
}

static void let_many_wait(void)
{
    ended = 0;
    for (unsigned i = 0; i < MANY; i++) {
        lock(i + 1);
        fw_await_init(&many[i].op, loop, TASK(i + 1), leave);
        many[i].ends = 0;
        assert_int_equal(fw_await_ipc_cond(&many[i].op, c, m, NULL), EINPROGRESS);
    }
    fw_loop_run(loop, 0);
}

EACH(refuses)
{
    fw_ipc_cond elsewhere = FW_IPC_COND_INIT;
    fw_deadline past = in_ms(-1);

    make_cond();
    ask_for(&a, TASK(1));
    assert_int_equal(fw_await_ipc_cond(&a.op, c, m, NULL), EPERM);
    lock(2);
    assert_int_equal(fw_await_ipc_cond(&a.op, c, m, NULL), EPERM);
    unlock(2);
    lock(1);
    assert_int_equal(fw_await_ipc_cond(&a.op, &elsewhere, m, NULL), EINVAL);
    assert_int_equal(fw_await_ipc_cond(&a.op, c, m, &past), ETIMEDOUT); /* and it is held */
    unlock(1);
}

static void signalled_by(void (*signaller)(void *), void *holds)
{
    make_cond();
    let_many_wait();
    for (unsigned i = 0; i < 3; i++) {
        signal_by(signaller, holds);
        run_until(&many[i].ends, 1); /* first come, first served */
    }
    signal_by(signal_all, holds);
    run_until(&ended, MANY);
}

EACH(is_signalled)
{
    signalled_by(signal_one, NULL);
    signalled_by(signal_one, m); /* moved to the mutex */
}

/* Of many that wait not all go on for one signal: as long as nobody else looks. */
EACH(is_for_one)
{
    make_cond();
    let_many_wait();
    signal_by(signal_one, m);
    run_until(&many[0].ends, 1);
    for (unsigned i = 0; i < 3; i++)
        fw_loop_run(loop, 0);
    assert_true(ended < MANY);
    signal_by(signal_all, m);
    run_until(&ended, MANY);
}

static int ask_briefly(void)
{
    fw_deadline soon;

    lock(1);
    ask_for(&a, TASK(1));
    soon = in_ms(30);
    return fw_await_ipc_cond(&a.op, c, m, &soon);
}

EACH(times_out_with_the_mutex)
{
    make_cond();
    assert_times_out(ask_briefly(), &a);
    assert_int_equal(fw_ipc_mutex_trylock(m), EBUSY);
    unlock(1);
    while (ask_briefly() != EINPROGRESS) /* it was late already */
        unlock(1);
    ask_for(&b, TASK(2)); /* another has the mutex when the deadline is over, or waits for it */
    if (fw_await_ipc_mutex(&b.op, m, NULL) == 0) {
        usleep(40000);
        fw_loop_run(loop, 0);
        assert_int_equal(a.ends, 0);
        assert_true(fw_await_cancel(&a.op)); /* it had no signal */
        unlock(2);
        lock(1);
    }
    unlock(1);
}

/* Granted the mutex after its deadline, and cancelled before its loop has delivered that. */
EACH(tells_the_deadline_after_cancel)
{
    make_cond();
    while (ask_briefly() != EINPROGRESS) /* it was late already */
        unlock(1);
    if (ask_for_mutex(&b, 2) == 0) {
        assert_int_equal(ask_for_mutex(&other, 3),
                         EINPROGRESS); /* from then on locks are handed over */
        assert_true(fw_await_cancel(&other.op));
        usleep(40000);
        fw_loop_run(loop, 0);
        unlock(2);
        assert_false(fw_await_cancel(&a.op));
        assert_int_equal(fw_await_poll(&a.op), ETIMEDOUT);
    } else { /* the deadline was quicker */
        run_until(&a.ends, 1);
        assert_true(fw_await_cancel(&b.op));
    }
    unlock(1);
}

/* A signal goes to another when its operation is cancelled before it has the mutex. */
EACH(passes_a_signal_on)
{
    make_cond();
    ask_for_signal(&a, 1, NULL);
    ask_for_signal(&b, 2, NULL);
    lock(3);
    assert_int_equal(fw_ipc_cond_signal(c), 0);
    fw_loop_run(loop, 0);
    assert_int_equal(a.ends, 0);
    assert_true(fw_await_cancel(&a.op));
    unlock(3);
    run_until(&b.ends, 1);
    assert_int_equal(b.error, 0);
    unlock(2);
    ask_for_signal(&a, 1, NULL); /* the same when it has it, and is not told yet */
    ask_for_signal(&b, 2, NULL);
    assert_int_equal(fw_ipc_cond_signal(c), 0);
    ask_for_signal(&many[0], 3, NULL); /* looks */
    assert_false(fw_await_drop(&a.op));
    run_until(&b.ends, 1);
    unlock(2);
    assert_true(fw_await_cancel(&many[0].op) || fw_task_ipc_mutex_unlock(m, TASK(3)) == 0);
}

static void wait_as_task(void *arg)
{
    (void)arg;
    loop = new_loop();
    ask_for_signal(&a, 1, NULL);
    shared[0] = 1;
    run_until(&a.ends, 1);
    shared[0] = 2;
    pause();
}

/* A process that waits is killed: what is signalled then reaches the others. */
EACH(outlives_waiters)
{
    pid_t child;

    make_cond();
    child = start(wait_as_task, NULL);
    await_word(&shared[0]);
    ask_for_signal(&b, 2, NULL);
    fw_loop_run(loop, 0);
    kill_and_wait(child);
    finish(start(signal_one, m));
    run_until(&b.ends, 1);
    assert_int_equal(b.error, 0);
    unlock(2);
}

static void die_with_it(void *arg)
{
    (void)arg;
    if (fw_ipc_mutex_lock(m) != 0 || fw_ipc_cond_broadcast(c) != 0)
        _exit(1);
    shared[0] = 1;
    pause();
}

/* Moved to the mutex of one that dies. */
EACH(learns_of_a_death)
{
    pid_t child;

    make_cond();
    ask_for_signal(&a, 1, NULL);
    fw_loop_run(loop, 0);
    child = start(die_with_it, NULL);
    await_word(&shared[0]);
    kill_and_wait(child);
    run_until(&a.ends, 1);
    assert_int_equal(a.error, EOWNERDEAD);
    assert_int_equal(fw_task_ipc_mutex_consistent(m, TASK(1)), 0);
    unlock(1);
}

/* A task signals a thread of another process. */
static void wait_as_thread(void *arg)
{
    int error = fw_ipc_mutex_lock(m);

    (void)arg;
    shared[0] = 1;
    while (error == 0 && shared[3] == 0)
        error = fw_ipc_cond_wait(c, m);
    _exit(error != 0 ? error : fw_ipc_mutex_unlock(m));
}

EACH(signals_threads)
{
    pid_t child;

    make_cond();
    child = start(wait_as_thread, NULL);
    await_word(&shared[0]);
    lock(1);
    shared[3] = 1;
    assert_int_equal(fw_ipc_cond_signal(c), 0);
    unlock(1);
    finish(child);
}

UNIT_MAIN(need_robust, NULL)
