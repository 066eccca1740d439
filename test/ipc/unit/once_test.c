/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>

#include <furwock/ipc/once.h>

#include "victim.h"

/* src/ipc/once.c, with the real kernel; the victims are forked children. */

static fw_ipc_once *o;
static uint64_t *runs; /* how often an initialiser began; then: how often one ended well */

static int make(void)
{
    need_robust_lists();
    fixture = fixture_make(8);
    o = fixture_object(&fixture, 0);
    said = fixture_object(&fixture, 1);
    runs = fixture_object(&fixture, 2);
    return 0;
}

static int init(void *arg)
{
    fw_add64_acq_rel(&runs[0], 1);
    if (arg != NULL)
        return *(int *)arg;
    fw_add64_acq_rel(&runs[1], 1);
    return 0;
}

static int call_itself(void *arg)
{
    (void)arg;
    return fw_ipc_once_call(o, init, NULL);
}

TEST(says_what_is_wrong)
{
    static fw_ipc_once elsewhere;

    assert_int_equal(fw_ipc_once_call(&elsewhere, init, NULL), EINVAL);
    assert_int_equal(fw_ipc_once_call_slow_((fw_ipc_once *)((char *)o + 4), init, NULL), EINVAL);
    assert_int_equal(fw_ipc_once_call(o, call_itself, NULL), EDEADLK);
    assert_int_equal(runs[0], 0);
    o->word_ = 7;
    assert_int_equal(fw_ipc_once_call(o, init, NULL), EUCLEAN);
    o->word_ = UINT64_MAX;
    assert_int_equal(fw_ipc_once_call(o, init, NULL), EUCLEAN);
    assert_int_equal(o->word_, UINT64_MAX);
}

/* Stays in the initialiser until *said is 2. */
static int linger(void *arg)
{
    (void)arg;
    say(1);
    await_said(2);
    return init(NULL);
}

static void run_linger(void *arg)
{
    _exit(fw_ipc_once_call(o, linger, arg));
}

static int init_over(void *arg)
{
    return fw_ipc_once_is_left(o) ? init(arg) : EILSEQ;
}

TEST(a_failed_call_leaves_the_mark_of_the_dead)
{
    int victim, failure = EIO;

    victim = start(run_linger, NULL);
    await_said(1);
    kill_and_wait(victim);
    assert_int_equal(fw_ipc_once_call(o, init, &failure), EIO);
    assert_int_equal(fw_ipc_once_call(o, init_over, NULL), 0);
    assert_false(fw_ipc_once_is_left(o));
}

static void *cancelled(void *arg)
{
    (void)arg;
    pthread_cancel(pthread_self());
    pthread_testcancel();
    return NULL;
}

static int be_cancelled(void *arg)
{
    cancelled(arg);
    return 0;
}

static void *run_cancelled(void *arg)
{
    fw_ipc_once_call(o, be_cancelled, arg);
    return NULL;
}

TEST(a_cancelled_one_leaves_it_to_others)
{
    pthread_t thread;

    pthread_create(&thread, NULL, run_cancelled, NULL);
    pthread_join(thread, NULL);
    assert_int_equal(o->word_, 0);
    assert_int_equal(fw_ipc_once_call(o, init, NULL), 0);
}

static int fork_within(void *child)
{
    *(pid_t *)child = fork();
    return *(pid_t *)child == 0 ? 0 : init(NULL);
}

TEST(a_child_has_initialised_nothing)
{
    pid_t child = -1;
    int error, status;

    error = fw_ipc_once_call(o, fork_within, &child);
    if (child == 0)
        _exit(error == EPERM && fw_ipc_once_call(o, init, NULL) == 0 ? 0 : 1);
    assert_int_equal(error, 0);
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(runs[0], 1);
}

UNIT_MAIN(make, fixture_end)
