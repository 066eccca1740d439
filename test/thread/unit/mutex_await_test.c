/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <furwock/await.h>
#include <furwock/cond.h>
#include <furwock/mutex.h>

#include "test/support/deadline.h"
#include "test/sys/unit/in_child.h"

/* src/thread/mutex_await.c, with the real kernel: what its callers see. */

enum { THREADS = 4, TIMES = 2000 };

static fw_mutex m;
static long tokens, waiting, taken;

static bool there_is_a_token(void *unused)
{
    (void)unused;
    return tokens > 0;
}

static bool is_true(void *flag)
{
    return *(bool *)flag;
}

static int clear(void)
{
    fw_mutex_init(&m);
    tokens = waiting = taken = 0;
    return 0;
}

static void *take_one(void *arg)
{
    fw_mutex_lock(&m);
    waiting++;
    fw_mutex_await(&m, there_is_a_token, NULL);
    assert_true(fw_mutex_is_held_by_me(&m) && tokens > 0);
    tokens--;
    taken++;
    fw_mutex_unlock(&m);
    return arg;
}

static bool all_wait(void *n)
{
    return waiting == *(long *)n;
}

static bool all_taken(void *n)
{
    return taken == *(long *)n;
}

/* n threads that wait for a token. */
static void begin_waiting(pthread_t *threads, long n)
{
    waiting = 0;
    for (long i = 0; i < n; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_one, NULL), 0);
    fw_mutex_lock(&m);
    fw_mutex_await(&m, all_wait, &n); /* a condition among the others */
    fw_mutex_unlock(&m);
}

TEST(what_is_true_does_not_wait)
{
    bool yes = true;
    fw_deadline past = {.clock = CLOCK_MONOTONIC};

    clear();
    fw_mutex_lock(&m);
    fw_mutex_await(&m, is_true, &yes);
    assert_int_equal(fw_mutex_timedawait(&m, is_true, &yes, &past), 0);
    assert_true(fw_mutex_is_held_by_me(&m));
    fw_mutex_unlock(&m);
    assert_int_equal(m.state_, 0);
}

TEST(what_is_false_times_out_with_the_mutex)
{
    bool no = false;
    fw_deadline past = {.clock = CLOCK_MONOTONIC}, bad = {.clock = 77};
    fw_deadline soon = fw_deadline_after(CLOCK_MONOTONIC, 1000000);

    clear();
    fw_mutex_lock(&m);
    assert_int_equal(fw_mutex_timedawait(&m, is_true, &no, &past), ETIMEDOUT);
    assert_int_equal(fw_mutex_timedawait(&m, is_true, &no, &soon), ETIMEDOUT);
    soon = fw_deadline_after(CLOCK_REALTIME, 1000000);
    assert_int_equal(fw_mutex_timedawait(&m, is_true, &no, &soon), ETIMEDOUT);
    assert_int_equal(fw_mutex_timedawait(&m, is_true, &no, &bad), EINVAL);
    assert_true(fw_mutex_is_held_by_me(&m));
    fw_mutex_unlock(&m);
    assert_int_equal(fw_mutex_trylock(&m), 0);
    fw_mutex_unlock(&m);
}

/* Each way in which a mutex is released, after a token was added. */
static void release(int way)
{
    static fw_cond nobody;
    fw_deadline past = {.clock = CLOCK_MONOTONIC};
    bool no = false;

    switch (way) {
    case 0:
        fw_mutex_unlock(&m);
        break;
    case 1:
        fw_mutex_unlock_fair(&m);
        break;
    case 2: /* releases it while it waits */
        past = fw_deadline_after(CLOCK_MONOTONIC, 1000000);
        assert_int_equal(fw_cond_timedwait(&nobody, &m, &past), ETIMEDOUT);
        fw_mutex_unlock(&m);
        break;
    default:
        past = fw_deadline_after(CLOCK_MONOTONIC, 1000000);
        assert_int_equal(fw_mutex_timedawait(&m, is_true, &no, &past), ETIMEDOUT);
        fw_mutex_unlock(&m);
    }
}

TEST(every_release_serves_those_whose_condition_is_true)
{
    for (int way = 0; way < 4; way++) {
        pthread_t threads[THREADS];
        long n = THREADS;

        clear();
        begin_waiting(threads, n);
        for (int i = 0; i < THREADS; i++) {
            fw_mutex_lock(&m);
            tokens++;
            release(way);
        }
        fw_mutex_lock(&m);
        fw_mutex_await(&m, all_taken, &n);
        fw_mutex_unlock(&m);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        assert_int_equal(tokens, 0);
    }
}

static void *take_many(void *arg)
{
    for (int i = 0; i < TIMES; i++)
        take_one(arg);
    return arg;
}

static void *give_many(void *arg)
{
    for (int i = 0; i < TIMES; i++) {
        fw_mutex_lock(&m);
        tokens++;
        fw_mutex_unlock(&m);
    }
    return arg;
}

/* Ends the waits of those who time out amid grants. */
static void *try_many(void *arg)
{
    for (int i = 0; i < TIMES / 4; i++) {
        fw_deadline d = fw_deadline_after(CLOCK_MONOTONIC, (uint64_t)(i % 7) * 10000);
        int error;

        fw_mutex_lock(&m);
        error = fw_mutex_timedawait(&m, there_is_a_token, NULL, &d);
        assert_true(fw_mutex_is_held_by_me(&m));
        assert_int_equal(error, tokens > 0 ? 0 : ETIMEDOUT);
        fw_mutex_unlock(&m);
    }
    return arg;
}

TEST(many)
{
    static void *(*const roles[])(void *) = {take_many, give_many, try_many};
    pthread_t threads[3 * THREADS];

    clear();
    for (int i = 0; i < 3 * THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, roles[i % 3], NULL), 0);
    for (int i = 0; i < 3 * THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(tokens, 0);
    assert_int_equal(taken, THREADS * TIMES);
}

static void unlock(void *unused)
{
    (void)unused;
    assert_true(fw_mutex_is_held_by_me(&m));
    fw_mutex_unlock(&m);
}

static void *be_cancelled(void *arg)
{
    fw_mutex_lock(&m);
    waiting++;
    pthread_cleanup_push(unlock, NULL);
    fw_mutex_await(&m, is_true, arg);
    pthread_cleanup_pop(1);
    return NULL;
}

TEST(a_cancelled_thread_has_the_mutex)
{
    static bool no = false;
    long one = 1;
    pthread_t thread;
    void *end;

    clear();
    assert_int_equal(pthread_create(&thread, NULL, be_cancelled, &no), 0);
    fw_mutex_lock(&m);
    fw_mutex_await(&m, all_wait, &one);
    fw_mutex_unlock(&m);
    pthread_cancel(thread);
    pthread_join(thread, &end);
    assert_ptr_equal(end, PTHREAD_CANCELED);
    assert_int_equal(fw_mutex_trylock(&m), 0);
    fw_mutex_unlock(&m);
}

static int await_without_the_mutex(void)
{
    struct rlimit no_core = {0, 0};
    bool yes = true;

    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGABRT, SIG_DFL);
    fw_mutex_await(&m, is_true, &yes);
    return 0;
}

TEST(who_does_not_hold_the_mutex_aborts)
{
    clear();
    assert_int_equal(in_child(await_without_the_mutex), -SIGABRT);
}

static int go_on_in_a_child(void)
{
    bool no = false;
    fw_deadline soon = fw_deadline_after(CLOCK_MONOTONIC, 1000000);
    int error = fw_mutex_timedawait(&m, is_true, &no, &soon);

    tokens = 0; /* nobody takes one here */
    fw_mutex_unlock(&m);
    return error == ETIMEDOUT && fw_mutex_trylock(&m) == 0 ? 0 : 1;
}

TEST(a_forked_child_has_no_conditions)
{
    pthread_t threads[THREADS];

    clear();
    begin_waiting(threads, THREADS);
    fw_mutex_lock(&m);
    assert_int_equal(in_child(go_on_in_a_child), 0);
    tokens = THREADS;
    fw_mutex_unlock(&m);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

UNIT_MAIN(NULL, NULL)
