// SPDX-License-Identifier: MIT
// A library to be opened while a program runs: it locks in its constructor, starts threads of its
// own, and locks in its destructor.
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <threads.h>

enum { THREADS = 4, ROUNDS = 500 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static mtx_t plain;
static sem_t sem;
static long count;
static int ready;

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_rwlock_rdlock(&rwlock);
        pthread_rwlock_unlock(&rwlock);
        mtx_lock(&plain);
        count++;
        mtx_unlock(&plain);
        sem_post(&sem);
        sem_wait(&sem);
    }
    return NULL;
}

__attribute__((constructor)) static void open_it(void)
{
    pthread_mutex_lock(&mutex);
    mtx_init(&plain, mtx_plain);
    sem_init(&sem, 0, 0);
    pthread_mutex_unlock(&mutex);
}

__attribute__((destructor)) static void close_it(void)
{
    pthread_mutex_lock(&mutex);
    mtx_destroy(&plain);
    sem_destroy(&sem);
    pthread_mutex_unlock(&mutex);
}

/// How much the threads of the library have counted, or -1.
long plugin_run(void);
long plugin_run(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, NULL))
            return -1;
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return count - (long)THREADS * ROUNDS;
}

/// Locks what its caller owns.
int plugin_lock(pthread_mutex_t *others);
int plugin_lock(pthread_mutex_t *others)
{
    return pthread_mutex_lock(others);
}
