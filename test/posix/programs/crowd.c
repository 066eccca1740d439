// SPDX-License-Identifier: MIT
// A thousand threads that meet at one mutex, read-write lock, condition variable, semaphore, spin
// lock and barrier: an ordinary program, to be run under the drop-in.  It counts what they do.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 1000, ROUNDS = 20, STACK_BYTES = 64 << 10, PERMITS = 3, BATON_EVERY = 4 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t sem;
static long counted, counted_again, written, spun, permits, serial;
static int baton;

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "crowd: line %d: not %s\n", __LINE__, #condition); \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

/// All threads in turn: each waits for its number, and wakes all others when it has had it.
static void pass_baton(int me)
{
    CHECK(!pthread_mutex_lock(&mutex));
    while (baton != me)
        CHECK(!pthread_cond_wait(&turn, &mutex));
    baton = me + BATON_EVERY;
    CHECK(!pthread_cond_broadcast(&turn));
    CHECK(!pthread_mutex_unlock(&mutex));
}

static void *work(void *number)
{
    int me = (int)(size_t)number;
    int code = pthread_barrier_wait(&barrier);
    CHECK(!code || code == PTHREAD_BARRIER_SERIAL_THREAD);
    if (code)
        __atomic_fetch_add(&serial, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(!pthread_mutex_lock(&mutex));
        counted++;
        CHECK(!pthread_mutex_unlock(&mutex));
        CHECK(!pthread_mutex_lock(&recursive) && !pthread_mutex_lock(&recursive));
        counted_again++;
        CHECK(!pthread_mutex_unlock(&recursive) && !pthread_mutex_unlock(&recursive));
        if ((me + i) % 8 == 0) {
            CHECK(!pthread_rwlock_wrlock(&rwlock));
            written++;
        } else {
            CHECK(!pthread_rwlock_rdlock(&rwlock));
        }
        CHECK(!pthread_rwlock_unlock(&rwlock));
        CHECK(!sem_wait(&sem));
        CHECK(__atomic_add_fetch(&permits, 1, __ATOMIC_RELAXED) <= PERMITS);
        __atomic_fetch_sub(&permits, 1, __ATOMIC_RELAXED);
        CHECK(!sem_post(&sem));
        CHECK(!pthread_spin_lock(&spin));
        spun++;
        CHECK(!pthread_spin_unlock(&spin));
    }
    if (me % BATON_EVERY == 0)
        pass_baton(me);
    return NULL;
}

int main(void)
{
    static pthread_t threads[THREADS];
    pthread_attr_t small;
    long least = sysconf(_SC_THREAD_STACK_MIN); /* on some processors it is more */
    size_t bytes = least > STACK_BYTES ? (size_t)least : STACK_BYTES;
    CHECK(!pthread_attr_init(&small) && !pthread_attr_setstacksize(&small, bytes));
    CHECK(!pthread_barrier_init(&barrier, NULL, THREADS) && !sem_init(&sem, 0, PERMITS));
    CHECK(!pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE));
    for (size_t i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&threads[i], &small, work, (void *)i));
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_join(threads[i], NULL));
    CHECK(counted == THREADS * ROUNDS && counted_again == counted && spun == counted);
    CHECK(written == THREADS * ROUNDS / 8 && serial == 1 && baton == THREADS);
    CHECK(!pthread_barrier_destroy(&barrier) && !sem_destroy(&sem) && !pthread_cond_destroy(&turn));
    CHECK(!pthread_mutex_destroy(&mutex) && !pthread_rwlock_destroy(&rwlock));
    return 0;
}
