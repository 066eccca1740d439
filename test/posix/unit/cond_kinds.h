/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_POSIX_COND_KINDS_H
#define FW_TEST_POSIX_COND_KINDS_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "cond.h"
#include "mutex.h"
#include "mutex_init.h"
#include "mutexattr.h"
#include "test/support/testing.h"

/* A condition variable of the drop-in with a mutex of each kind, and threads that wait. */

enum { WAITERS = 4 };

static const struct kind {
    const char *name;
    int type, shared, robust, protocol;
} kinds[] = {
    {"normal", PTHREAD_MUTEX_NORMAL, 0, 0, 0},
    {"recursive", PTHREAD_MUTEX_RECURSIVE, 0, 0, 0},
    {"errorcheck", PTHREAD_MUTEX_ERRORCHECK, 0, 0, 0},
    {"adaptive", PTHREAD_MUTEX_ADAPTIVE_NP, 0, 0, 0},
    {"shared", PTHREAD_MUTEX_NORMAL, 1, 0, 0},
    {"shared recursive", PTHREAD_MUTEX_RECURSIVE, 1, 0, 0},
    {"shared errorcheck", PTHREAD_MUTEX_ERRORCHECK, 1, 0, 0},
    {"robust", PTHREAD_MUTEX_NORMAL, 0, 1, 0},
    {"shared robust", PTHREAD_MUTEX_ERRORCHECK, 1, 1, 0},
    {"inherit", PTHREAD_MUTEX_NORMAL, 0, 0, PTHREAD_PRIO_INHERIT},
    {"inherit recursive", PTHREAD_MUTEX_RECURSIVE, 0, 0, PTHREAD_PRIO_INHERIT},
    {"shared robust inherit", PTHREAD_MUTEX_NORMAL, 1, 1, PTHREAD_PRIO_INHERIT},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static pthread_mutex_t m;
static pthread_cond_t c;
static int waiting, tokens;

static inline void make(const struct kind *kind, int shared_cond)
{
    pthread_mutexattr_t ma;
    pthread_condattr_t ca;

    assert_int_equal(fw_posix_mutexattr_init_(&ma), 0);
    assert_int_equal(fw_posix_mutexattr_settype_(&ma, kind->type), 0);
    assert_int_equal(fw_posix_mutexattr_setpshared_(&ma, kind->shared), 0);
    assert_int_equal(fw_posix_mutexattr_setrobust_(&ma, kind->robust), 0);
    assert_int_equal(fw_posix_mutexattr_setprotocol_(&ma, kind->protocol), 0);
    assert_int_equal(fw_posix_mutex_init_(&m, &ma), 0);
    assert_int_equal(fw_posix_condattr_init_(&ca), 0);
    assert_int_equal(fw_posix_condattr_setpshared_(&ca, shared_cond), 0);
    assert_int_equal(fw_posix_cond_init_(&c, &ca), 0);
    waiting = tokens = 0;
}

/* Each test on every kind, and with a variable of either sort. */
static inline void on_every_kind(void (*test)(const struct kind *))
{
    for (unsigned i = 0; i < KINDS; i++)
        for (int shared = 0; shared < 2; shared++) {
            make(&kinds[i], shared);
            test(&kinds[i]);
            assert_int_equal(fw_posix_cond_destroy_(&c), 0);
            assert_int_equal(fw_posix_mutex_destroy_(&m), 0);
        }
}

static inline void lock(void)
{
    assert_int_equal(fw_posix_mutex_lock_(&m), 0);
}

static inline void unlock(void)
{
    assert_int_equal(fw_posix_mutex_unlock_(&m), 0);
}

/* So many threads wait: they have released the mutex. */
static inline void await(int n)
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

static inline void *take_token(void *arg)
{
    int result = 0;

    if (fw_posix_mutex_lock_(&m) != 0)
        return arg;
    waiting++;
    while (tokens == 0 && result == 0)
        result = fw_posix_cond_wait_(&c, &m);
    waiting--;
    tokens--;
    return fw_posix_mutex_unlock_(&m) == 0 && result == 0 ? NULL : arg;
}

static inline void start(pthread_t *threads, int n, void *(*f)(void *))
{
    for (int i = 0; i < n; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, f, threads), 0);
}

static inline void join(pthread_t *threads, int n)
{
    for (int i = 0; i < n; i++) {
        void *result;

        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_true(result == NULL || result == PTHREAD_CANCELED);
    }
}

#endif
