/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/latch.h>
#include <furwock/once.h>

#include "test/support/unit.h"

/* TSan: fork is tested too, with threads. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}

/* src/thread/once.c with threads: initialisers that do not return, and forks. */

/* Exit statuses of a child. */
enum { CHILD_OK = 0, CHILD_FAILED = 1, CHILD_LIMIT_S = 100 };

static fw_once o;
static fw_latch has_begun;
static fw_latch may_end;
static unsigned successes;

static int reset(void)
{
    o = (fw_once)FW_ONCE_INIT;
    fw_latch_init(&has_begun, 1);
    fw_latch_init(&may_end, 1);
    successes = 0;
    return 0;
}

static int succeeds(void *arg)
{
    (void)arg;
    successes++;
    return 0;
}

static int never_returns(void *arg)
{
    (void)arg;
    fw_latch_count_down(&has_begun, 1);
    while (pause() == -1) /* a cancellation point */
        continue;
    return 0;
}

static int exits(void *arg)
{
    (void)arg;
    fw_latch_count_down(&has_begun, 1);
    fw_latch_wait(&may_end);
    pthread_exit(NULL);
}

static int takes_its_time(void *arg)
{
    (void)arg;
    fw_latch_count_down(&has_begun, 1);
    fw_latch_wait(&may_end);
    successes++;
    return 0;
}

static void *call_with(void *init)
{
    int error = fw_once_call(&o, *(int (**)(void *))init, NULL);

    return error == 0 ? init : NULL;
}

static pthread_t start(int (**init)(void *))
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, call_with, init), 0);
    return thread;
}

TEST(cancelled)
{
    int (*first)(void *) = never_returns, (*second)(void *) = succeeds;
    pthread_t runner = start(&first), waiter;
    void *result;

    fw_latch_wait(&has_begun);
    waiter = start(&second);
    usleep(20000); /* so that it sleeps */
    pthread_cancel(runner);
    pthread_join(runner, &result);
    assert_ptr_equal(result, PTHREAD_CANCELED);
    pthread_join(waiter, NULL);
    assert_int_equal(successes, 1);
    assert_true(fw_once_is_done(&o));
}

TEST(exited)
{
    int (*first)(void *) = exits, (*second)(void *) = succeeds;
    pthread_t runner = start(&first), waiter;

    fw_latch_wait(&has_begun);
    waiter = start(&second);
    usleep(20000);
    fw_latch_count_down(&may_end, 1);
    pthread_join(runner, NULL);
    pthread_join(waiter, NULL);
    assert_int_equal(successes, 1);
}

/* A waiter is not cancelled: fw_once_call is a point for cancellation in the initialiser only. */
TEST(waiting_is_no_cancellation_point)
{
    int (*first)(void *) = takes_its_time, (*second)(void *) = succeeds;
    pthread_t runner = start(&first), waiter;
    void *result;

    fw_latch_wait(&has_begun);
    waiter = start(&second);
    usleep(20000);
    pthread_cancel(waiter);
    usleep(20000);
    fw_latch_count_down(&may_end, 1);
    pthread_join(runner, NULL);
    pthread_join(waiter, &result);
    assert_ptr_equal(result, &second);
    assert_int_equal(successes, 1);
}

static void assert_child(pid_t child)
{
    int status;

    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, CHILD_OK);
}

/* POSIX: in the child it is as if the initialiser had never been called. */
TEST(forked_by_another)
{
    int (*first)(void *) = takes_its_time;
    pthread_t runner = start(&first);
    pid_t child;

    fw_latch_wait(&has_begun);
    child = fork();
    if (child == 0) {
        alarm(CHILD_LIMIT_S);
        _exit(fw_once_call(&o, succeeds, NULL) == 0 && successes == 1 ? CHILD_OK : CHILD_FAILED);
    }
    fw_latch_count_down(&may_end, 1);
    pthread_join(runner, NULL);
    assert_int_equal(successes, 1);
    assert_child(child);
}

static int forks(void *child)
{
    *(pid_t *)child = fork();
    successes++;
    return 0;
}

TEST(forked_by_the_initialiser)
{
    pid_t child = -1;

    assert_int_equal(fw_once_call(&o, forks, &child), 0);
    assert_int_equal(successes, 1);
    if (child == 0)
        _exit(fw_once_call(&o, succeeds, NULL) == 0 && successes == 1 ? CHILD_OK : CHILD_FAILED);
    assert_child(child);
}

static int forks_and_recurs(void *child)
{
    *(pid_t *)child = fork();
    if (*(pid_t *)child == 0) {
        close(STDERR_FILENO);
        fw_once_call(&o, succeeds, NULL); /* stops the child */
        _exit(CHILD_OK);
    }
    return 0;
}

TEST(recursion_in_a_forked_child)
{
    pid_t child = -1;
    int status;

    assert_int_equal(fw_once_call(&o, forks_and_recurs, &child), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

UNIT_MAIN(reset, NULL)
