/* SPDX-License-Identifier: MIT */
#include "bench/classics/wake_all.h"

#include <unistd.h>

#include "test/support/sleeper.h"
#include "test/support/unit.h"

enum { WAITERS = 3, MS = 1000000 };

struct waiter {
    pthread_t thread;
    pid_t tid;
    bool done;
};

static fw_mutex mutex;
static classic_wake_all cond;
static unsigned woken; /* under the mutex */

static void *wait_once(void *arg)
{
    struct waiter *w = arg;
    uint32_t seq;

    fw_mutex_lock(&mutex);
    __atomic_store_n(&w->tid, fw_mutex_owner(&mutex), __ATOMIC_RELEASE);
    seq = cond.seq;
    while (cond.seq == seq)
        classic_wake_all_wait(&cond, &mutex, NULL);
    woken++;
    __atomic_store_n(&w->done, true, __ATOMIC_RELEASE);
    fw_mutex_unlock(&mutex);
    return NULL;
}

TEST(signal_and_broadcast_change_the_number)
{
    classic_wake_all c = CLASSIC_WAKE_ALL_INIT;

    classic_wake_all_signal(&c);
    assert_int_equal(c.seq, 1);
    classic_wake_all_broadcast(&c);
    assert_int_equal(c.seq, 2);
}

TEST(a_wait_ends_at_its_deadline_with_the_mutex_held)
{
    fw_deadline soon = deadline_in(CLOCK_MONOTONIC, 2 * MS);
    int result;

    fw_mutex_lock(&mutex);
    do
        result = classic_wake_all_wait(&cond, &mutex, &soon);
    while (result == 0);
    assert_int_equal(result, ETIMEDOUT);
    assert_true(fw_mutex_owner(&mutex) != 0);
    fw_mutex_unlock(&mutex);
}

TEST(a_broadcast_wakes_all)
{
    struct waiter waiters[WAITERS] = {0};

    for (int i = 0; i < WAITERS; i++) {
        assert_int_equal(pthread_create(&waiters[i].thread, NULL, wait_once, &waiters[i]), 0);
        await_asleep(getpid(), &waiters[i].tid, &waiters[i].done);
    }
    fw_mutex_lock(&mutex);
    classic_wake_all_broadcast(&cond);
    assert_int_equal(woken, 0);
    fw_mutex_unlock(&mutex);
    for (int i = 0; i < WAITERS; i++)
        pthread_join(waiters[i].thread, NULL);
    assert_int_equal(woken, WAITERS);
}

UNIT_MAIN(NULL, NULL)
