/* SPDX-License-Identifier: MIT */
/*
 * Threads that wait for each other in every way that has a slow path, with and without a deadline,
 * and call what others may have replaced meanwhile.  Status 0: all of them came to the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, ROUNDS = 300, WORK = 500, SOON_NS = 200000 };

#define CHECK(what)                                            \
    do {                                                       \
        if (!(what)) {                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, #what); \
            exit(1);                                           \
        }                                                      \
    } while (0)

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, inheriting, robust;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;
static unsigned calls;

static struct timespec soon(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += SOON_NS;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    return t;
}

static void work(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    free(malloc(64));
    for (volatile int i = 0; i < WORK; i++)
        ;
    sched_yield();
}

static void take(pthread_mutex_t *m)
{
    struct timespec until = soon();
    int error = pthread_mutex_timedlock(m, &until);

    CHECK(error == 0 || error == ETIMEDOUT);
    if (error != 0)
        CHECK(pthread_mutex_lock(m) == 0);
    work();
    CHECK(pthread_mutex_unlock(m) == 0);
}

static void wait_for_call(void)
{
    struct timespec until = soon();
    int error;

    CHECK(pthread_mutex_lock(&plain) == 0);
    calls++;
    error = pthread_cond_timedwait(&cond, &plain, &until);
    CHECK(error == 0 || error == ETIMEDOUT);
    CHECK(pthread_mutex_unlock(&plain) == 0);
    CHECK(pthread_cond_broadcast(&cond) == 0);
}

static void read_and_write(void)
{
    struct timespec until = soon();
    int error = pthread_rwlock_timedrdlock(&rwlock, &until);

    CHECK(error == 0 || error == ETIMEDOUT);
    work();
    if (error == 0)
        CHECK(pthread_rwlock_unlock(&rwlock) == 0);
    until = soon();
    error = pthread_rwlock_timedwrlock(&rwlock, &until);
    CHECK(error == 0 || error == ETIMEDOUT);
    if (error == 0) {
        work();
        CHECK(pthread_rwlock_unlock(&rwlock) == 0);
    }
}

static void take_unit(void)
{
    struct timespec until = soon();
    bool has_one = sem_timedwait(&sem, &until) == 0;

    CHECK(has_one || errno == ETIMEDOUT || errno == EINTR);
    work();
    if (has_one)
        CHECK(sem_post(&sem) == 0);
}

static void open_and_close(int round)
{
    char name[64];
    sem_t *s;

    snprintf(name, sizeof name, "/furwock-interposed-%d-%d", (int)getpid(), round % 2);
    s = sem_open(name, O_CREAT, 0600, 0);
    CHECK(s != SEM_FAILED);
    CHECK(sem_close(s) == 0);
    CHECK(sem_unlink(name) == 0 || errno == ENOENT);
}

static void *run(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        take(&plain);
        take(&inheriting);
        take(&robust);
        wait_for_call();
        read_and_write();
        take_unit();
        if (i % 50 == 0) {
            open_and_close(i);
            pthread_barrier_wait(&barrier);
        }
    }
    return arg;
}

int main(void)
{
    pthread_mutexattr_t a;
    pthread_t threads[THREADS];

    CHECK(pthread_mutexattr_init(&a) == 0);
    CHECK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT) == 0);
    CHECK(pthread_mutex_init(&inheriting, &a) == 0);
    CHECK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_NONE) == 0);
    CHECK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST) == 0);
    CHECK(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED) == 0);
    CHECK(pthread_mutex_init(&robust, &a) == 0);
    CHECK(sem_init(&sem, 0, 2) == 0);
    CHECK(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, run, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(calls == THREADS * ROUNDS);
    puts("all came to the end");
    return 0;
}
