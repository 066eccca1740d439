/* SPDX-License-Identifier: MIT */
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/latch.h>
#include <furwock/once.h>

#include "test/support/sleeper.h"
#include "test/support/tsan_forks.h"
#include "test/support/unit.h"

/* src/thread/once.c with threads: initialisers that do not return, and forks. */

enum { CHILD_LIMIT_S = 100 };

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

/* Initialisers. */

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
    fw_latch_count_down(&has_begun, 1);
    fw_latch_wait(&may_end);
    return succeeds(arg);
}

/* A thread that calls the object. */
struct caller {
    int (*init)(void *);
    pthread_t thread;
    pid_t tid;
    bool done;
    int result; /* of the call, if it has returned */
};

static void *call(void *arg)
{
    struct caller *me = arg;

    __atomic_store_n(&me->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    me->result = fw_once_call(&o, me->init, NULL);
    __atomic_store_n(&me->done, true, __ATOMIC_RELEASE);
    return NULL;
}

static void start(struct caller *c, int (*init)(void *))
{
    *c = (struct caller){.init = init, .result = -1};
    assert_int_equal(pthread_create(&c->thread, NULL, call, c), 0);
}

/* One that runs its initialiser, and one that waits for that. */
static void start_two(struct caller *runner, int (*init)(void *), struct caller *waiter)
{
    start(runner, init);
    fw_latch_wait(&has_begun);
    start(waiter, succeeds);
    await_asleep(getpid(), &waiter->tid, &waiter->done);
}

TEST(another_takes_over_from_one_that_ends_inside)
{
    struct caller runner, waiter;

    for (int is_cancelled = 0; is_cancelled < 2; is_cancelled++) {
        reset();
        start_two(&runner, is_cancelled ? never_returns : exits, &waiter);
        if (is_cancelled)
            pthread_cancel(runner.thread);
        else
            fw_latch_count_down(&may_end, 1);
        pthread_join(runner.thread, NULL);
        pthread_join(waiter.thread, NULL);
        assert_int_equal(runner.result, -1);
        assert_int_equal(waiter.result, 0);
        assert_int_equal(successes, 1);
        assert_true(fw_once_is_done(&o));
    }
}

/* A waiter is not cancelled: fw_once_call is a point for cancellation in the initialiser only. */
TEST(waiting_is_no_cancellation_point)
{
    struct caller runner, waiter;

    start_two(&runner, takes_its_time, &waiter);
    pthread_cancel(waiter.thread);
    fw_latch_count_down(&may_end, 1);
    pthread_join(runner.thread, NULL);
    pthread_join(waiter.thread, NULL);
    assert_int_equal(waiter.result, 0);
    assert_int_equal(successes, 1);
}

static void assert_child(pid_t child)
{
    int status;

    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* POSIX: in the child it is as if the initialiser had never been called. */
TEST(forked_by_another)
{
    struct caller runner;
    pid_t child;

    start(&runner, takes_its_time);
    fw_latch_wait(&has_begun);
    child = fork();
    if (child == 0) {
        alarm(CHILD_LIMIT_S);
        _exit(fw_once_call(&o, succeeds, NULL) != 0 || successes != 1);
    }
    fw_latch_count_down(&may_end, 1);
    pthread_join(runner.thread, NULL);
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
        _exit(fw_once_call(&o, succeeds, NULL) != 0 || successes != 1);
    assert_child(child);
}

static int forks_and_recurs(void *child)
{
    *(pid_t *)child = fork();
    if (*(pid_t *)child == 0) {
        close(STDERR_FILENO);
        fw_once_call(&o, succeeds, NULL); /* stops the child */
        _exit(0);
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
