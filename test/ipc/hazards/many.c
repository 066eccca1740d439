/* SPDX-License-Identifier: MIT */
/* Very many threads; more than a region has participant slots; and their slots come back. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fixture.h"

/* A slot for each of them, and for some others; the smallest region has 128 slots. */
enum {
    THREADS = 1000,
    SIZE = 4 << 20,
    TOO_MANY = 200,
    ROUNDS = 5,
    STACK = 64 << 10,
    LOOK_US = 20000
};

static uint32_t *arrived; /* shared */
static long *counter;

static void *count_and_stay(void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < ROUNDS; i++) {
        int error = lock_soon(fixture.m[0]);
        CHECK(error == 0);
        ++*counter;
        CHECK(fw_ipc_mutex_unlock(fixture.m[0]) == 0);
    }
    CHECK(fw_ipc_rwlock_rdlock(fixture.rw) == 0);
    __atomic_fetch_add(arrived, 1, __ATOMIC_RELEASE);
    for (;;)
        pause();
    return NULL;
}

static void start_threads(unsigned n, void *(*body)(void *), pthread_t *threads)
{
    pthread_attr_t small;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK);
    for (unsigned i = 0; i < n; i++) {
        int error = pthread_create(&threads[i], &small, body, NULL);
        if (error == EAGAIN && i > TOO_MANY)
            skip("there cannot be that many threads here");
        CHECK(error == 0);
    }
}

static void be_many_threads(void *arg)
{
    static pthread_t threads[THREADS];

    (void)arg;
    start_threads(THREADS, count_and_stay, threads);
    for (;;)
        pause();
}

static void a_thousand_threads(void)
{
    for (unsigned n = 0; n < 3; n++) {
        pid_t child;
        *arrived = 0;
        *counter = 0;
        child = start(be_many_threads, NULL);
        while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) != THREADS)
            usleep(1000);
        CHECK(fw_ipc_rwlock_trywrlock(fixture.rw) == EBUSY);
        kill_and_wait(child);
        CHECK(*counter == (long)THREADS * ROUNDS);
        CHECK(fw_ipc_rwlock_trywrlock(fixture.rw) == 0 && fw_ipc_rwlock_wrunlock(fixture.rw) == 0);
    }
}

/* --- More than there are slots --------------------------------------------------------------- */

static void *try_and_stay(void *arg)
{
    int error = lock_soon(fixture.m[0]);

    (void)arg;
    CHECK(error == 0 || error == EAGAIN);
    if (error == 0)
        CHECK(fw_ipc_mutex_unlock(fixture.m[0]) == 0);
    else
        __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(arrived, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&fixture.flags[0], __ATOMIC_ACQUIRE) == 0)
        usleep(LOOK_US); /* there are many of them */
    return NULL;
}

static void more_threads_than_lines(void)
{
    static pthread_t threads[TOO_MANY];

    for (unsigned n = 0; n < 3; n++) {
        *arrived = fixture.flags[0] = 0;
        *counter = 0;
        start_threads(TOO_MANY, try_and_stay, threads);
        while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) != TOO_MANY)
            usleep(1000);
        CHECK(*counter > 0 && *counter < TOO_MANY);
        flag_raise(0);
        for (unsigned i = 0; i < TOO_MANY; i++)
            pthread_join(threads[i], NULL);
    }
}

int main(void)
{
    fixture_make(FW_REGION_MIN_SIZE);
    arrived = share(sizeof *arrived);
    counter = share(sizeof *counter);
    CASE(more_threads_than_lines);
    CHECK(fw_region_close(fixture.region) == 0);
    fixture_make(SIZE);
    CASE(a_thousand_threads);
    return EXIT_SUCCESS;
}
