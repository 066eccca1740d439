/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "barrier.h"
#include "test/support/child.h"
#include "test/support/sleeper.h"
#include "test/support/unit.h"

/*
 * posix/barrier.c between processes, and while it is in use.  The rounds of threads, and who may
 * destroy it when: contract.dropin.barrier-*.pthread, and fw-model (posix-barrier).
 */

enum { PROCESSES = 3, ROUNDS = 500 };

static struct area {
    pthread_barrier_t b;
    unsigned arrived, serial;
    pid_t tid;
    bool done;
} * area;

static void make(unsigned count, int shared)
{
    pthread_barrierattr_t a;

    memset(area, 0, sizeof *area);
    memset(&area->b, 0xff, sizeof area->b);
    assert_int_equal(fw_posix_barrierattr_init_(&a), 0);
    assert_int_equal(fw_posix_barrierattr_setpshared_(&a, shared), 0);
    assert_int_equal(fw_posix_barrier_init_(&area->b, &a, count), 0);
    assert_int_equal(fw_posix_barrierattr_destroy_(&a), 0);
}

static void go_round(void *arg)
{
    (void)arg;
    for (unsigned i = 1; i <= ROUNDS; i++) {
        int result;

        __atomic_add_fetch(&area->arrived, 1, __ATOMIC_RELAXED);
        result = fw_posix_barrier_wait_(&area->b);
        if (__atomic_load_n(&area->arrived, __ATOMIC_RELAXED) < i * PROCESSES)
            _exit(EXIT_FAILURE);
        if (result == PTHREAD_BARRIER_SERIAL_THREAD)
            __atomic_add_fetch(&area->serial, 1, __ATOMIC_RELAXED);
        else if (result != 0)
            _exit(EXIT_FAILURE);
    }
}

TEST(processes_meet)
{
    pid_t children[PROCESSES];

    make(PROCESSES, 1);
    for (unsigned i = 0; i < PROCESSES; i++)
        children[i] = start(go_round, NULL);
    for (unsigned i = 0; i < PROCESSES; i++)
        finish(children[i]);
    assert_int_equal(area->serial, ROUNDS);
    assert_int_equal(fw_posix_barrier_destroy_(&area->b), 0);
}

static void *come(void *arg)
{
    (void)arg;
    __atomic_store_n(&area->tid, gettid(), __ATOMIC_RELEASE);
    fw_posix_barrier_wait_(&area->b);
    __atomic_store_n(&area->done, true, __ATOMIC_RELEASE);
    return NULL;
}

TEST(a_barrier_in_use_is_not_destroyed)
{
    pthread_t thread;

    for (int shared = 0; shared < 2; shared++) {
        make(2, shared);
        pthread_create(&thread, NULL, come, NULL);
        await_asleep(getpid(), &area->tid, &area->done);
        assert_false(__atomic_load_n(&area->done, __ATOMIC_ACQUIRE));
        assert_int_equal(fw_posix_barrier_destroy_(&area->b), EBUSY);
        assert_int_equal(fw_posix_barrier_wait_(&area->b), PTHREAD_BARRIER_SERIAL_THREAD);
        pthread_join(thread, NULL);
        assert_int_equal(fw_posix_barrier_destroy_(&area->b), 0);
    }
}

static int map(void)
{
    area = share(sizeof *area);
    return 0;
}

UNIT_MAIN(map, NULL)
