/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cond.h"
#include "mutex.h"
#include "mutex_init.h"
#include "test/support/child.h"
#include "test/support/unit.h"

/*
 * posix/cond.c with the real kernel: what differential/ (all kinds of mutexes, one waiter at a
 * time), cond/ (storms), and contract.dropin.cond-*.pthread leave.
 */

enum { WAITERS = 4, ROUNDS = 400 };

static pthread_mutex_t m;
static pthread_cond_t c;
static int waiting, tokens;

static void make_cond(pthread_cond_t *cond, int shared, clockid_t clock)
{
    pthread_condattr_t attr;

    assert_int_equal(fw_posix_condattr_init_(&attr), 0);
    assert_int_equal(fw_posix_condattr_setpshared_(&attr, shared), 0);
    assert_int_equal(fw_posix_condattr_setclock_(&attr, clock), 0);
    assert_int_equal(fw_posix_cond_init_(cond, &attr), 0);
    assert_int_equal(fw_posix_mutex_init_(&m, NULL), 0);
    waiting = tokens = 0;
}

static void lock(void)
{
    assert_int_equal(fw_posix_mutex_lock_(&m), 0);
}

static void unlock(void)
{
    assert_int_equal(fw_posix_mutex_unlock_(&m), 0);
}

/* n threads wait: they have released the mutex. */
static void await(int n)
{
    for (;;) {
        int now;

        lock();
        now = waiting;
        unlock();
        if (now == n)
            return;
        sched_yield();
    }
}

static void join(pthread_t *threads, int n)
{
    for (int i = 0; i < n; i++) {
        void *result;

        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_null(result);
    }
}

/* --- Several mutexes ------------------------------------------------------------------------ */

static pthread_mutex_t others[WAITERS];

static void *wait_with_own(void *arg)
{
    pthread_mutex_t *mine = arg;

    fw_posix_mutex_lock_(mine);
    lock();
    waiting++;
    unlock();
    while (__atomic_load_n(&tokens, __ATOMIC_SEQ_CST) == 0)
        if (fw_posix_cond_wait_(&c, mine) != 0)
            return arg;
    return fw_posix_mutex_unlock_(mine) == 0 ? NULL : arg;
}

TEST(one_variable_serves_several_mutexes)
{
    pthread_t threads[WAITERS];

    make_cond(&c, 0, CLOCK_REALTIME);
    for (int i = 0; i < WAITERS; i++) {
        memset(&others[i], 0, sizeof others[i]);
        assert_int_equal(pthread_create(&threads[i], NULL, wait_with_own, &others[i]), 0);
    }
    await(WAITERS);
    for (int i = 0; i < WAITERS; i++) /* each one waits, then */
        assert_int_equal(fw_posix_mutex_lock_(&others[i]), 0);
    __atomic_store_n(&tokens, 1, __ATOMIC_SEQ_CST);
    assert_int_equal(fw_posix_cond_broadcast_(&c), 0);
    for (int i = 0; i < WAITERS; i++)
        assert_int_equal(fw_posix_mutex_unlock_(&others[i]), 0);
    join(threads, WAITERS);
    assert_int_equal(fw_posix_cond_destroy_(&c), 0);
}

/* --- Its memory ------------------------------------------------------------------------------- */

static void *wait_once(void *cond)
{
    lock();
    waiting++;
    while (tokens == 0)
        if (fw_posix_cond_wait_(cond, &m) != 0)
            return cond;
    unlock();
    return NULL;
}

/* Once all are woken and destroy has returned, though they may still be on their way out. */
TEST(its_memory_may_go_after_destroy)
{
    pthread_t threads[WAITERS];

    for (int round = 0; round < ROUNDS; round++) {
        pthread_cond_t *cond = share(sizeof *cond);

        make_cond(cond, round % 4 != 0, CLOCK_REALTIME);
        for (int i = 0; i < WAITERS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, wait_once, cond), 0);
        await(WAITERS);
        lock();
        tokens = 1;
        assert_int_equal(fw_posix_cond_broadcast_(cond), 0);
        if (round % 2 != 0)
            unlock();
        assert_int_equal(fw_posix_cond_destroy_(cond), 0);
        munmap(cond, sizeof *cond);
        if (round % 2 == 0)
            unlock();
        join(threads, WAITERS);
    }
}

/* --- The variable's clock ------------------------------------------------------------------- */

TEST(the_clock_is_the_variables)
{
    struct timespec at;

    for (int shared = 0; shared < 2; shared++) {
        make_cond(&c, shared, CLOCK_MONOTONIC);
        clock_gettime(CLOCK_MONOTONIC, &at); /* long ago on the other clock */
        at.tv_sec += 1000000;
        lock();
        assert_int_equal(fw_posix_cond_clockwait_(&c, &m, CLOCK_REALTIME, &at), ETIMEDOUT);
        at.tv_sec -= 1000000;
        assert_int_equal(fw_posix_cond_timedwait_(&c, &m, &at), ETIMEDOUT);
        unlock();
    }
}

/* --- Made by others ------------------------------------------------------------------------- */

static void expect_to_be_told(void)
{
    int pipes[2], status;
    char text[200] = "";
    pid_t child;

    assert_int_equal(pipe(pipes), 0);
    child = fork();
    if (child == 0) {
        dup2(pipes[1], STDERR_FILENO);
        fw_posix_cond_signal_(&c);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_true(read(pipes[0], text, sizeof text - 1) > 0);
    assert_non_null(strstr(text, "condition variable"));
    assert_non_null(strstr(text, "without furwock"));
    close(pipes[0]);
    close(pipes[1]);
}

TEST(what_others_made_is_told)
{
    pthread_condattr_t attr;

    pthread_condattr_init(&attr); /* the C library's */
    pthread_condattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&c, &attr);
    expect_to_be_told();
}

/* The other process may have another glibc: its flags lie at byte 36, or at 28 since 2.41. */
TEST(whatever_their_layout)
{
    for (size_t at = 28; at <= 36; at += 8) {
        memset(&c, 0, sizeof c);
        ((unsigned char *)&c)[at] = 1;
        expect_to_be_told();
    }
}

UNIT_MAIN(NULL, NULL)
