// SPDX-License-Identifier: MIT
// Threads that meet at one mutex, read-write lock, condition variable, semaphore, spin lock and
// barrier: an ordinary program, to be run under the drop-in.  It counts what they do.
//
//     preload_many_threads            a thousand of them
//     preload_many_threads timed      fewer, with deadlines and mutexes of more kinds; meanwhile
//                                     they call what other libraries may have replaced
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 1000, ROUNDS = 20, FEW = 8, TIMED_ROUNDS = 300, OPEN_EVERY = 50 };
enum { STACK_BYTES = 64 << 10, PERMITS = 3, BATON_EVERY = 4, WORK = 500, SOON_NS = 200000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, inheriting, robust;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t sem;
static long counted, counted_again, written, spun, permits, serial, calls;
static int baton;

#define CHECK(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            fprintf(stderr, "many_threads: line %d: not %s\n", __LINE__, #condition); \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// --- A thousand ----------------------------------------------------------------------------------

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

// --- Deadlines, and other kinds ------------------------------------------------------------------

static const struct timespec *soon(struct timespec *t)
{
    clock_gettime(CLOCK_REALTIME, t);
    t->tv_nsec += SOON_NS;
    if (t->tv_nsec >= 1000000000) {
        t->tv_nsec -= 1000000000;
        t->tv_sec++;
    }
    return t;
}

static void do_something_else(void)
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
    struct timespec until;
    int error = pthread_mutex_timedlock(m, soon(&until));
    CHECK(!error || error == ETIMEDOUT);
    if (error)
        CHECK(!pthread_mutex_lock(m));
    do_something_else();
    CHECK(!pthread_mutex_unlock(m));
}

static void wait_for_call(void)
{
    struct timespec until;
    CHECK(!pthread_mutex_lock(&mutex));
    calls++;
    int error = pthread_cond_timedwait(&turn, &mutex, soon(&until));
    CHECK(!error || error == ETIMEDOUT);
    CHECK(!pthread_mutex_unlock(&mutex));
    CHECK(!pthread_cond_broadcast(&turn));
}

static void read_or_write(int (*lock)(pthread_rwlock_t *, const struct timespec *))
{
    struct timespec until;
    int error = lock(&rwlock, soon(&until));
    CHECK(!error || error == ETIMEDOUT);
    do_something_else();
    if (!error)
        CHECK(!pthread_rwlock_unlock(&rwlock));
}

static void take_permit(void)
{
    struct timespec until;
    bool has_one = !sem_timedwait(&sem, soon(&until));
    CHECK(has_one || errno == ETIMEDOUT || errno == EINTR);
    do_something_else();
    if (has_one)
        CHECK(!sem_post(&sem));
}

static void open_and_close(int round)
{
    char name[64];
    snprintf(name, sizeof name, "/furwock-many-%d-%d", (int)getpid(), round % 2);
    sem_t *s = sem_open(name, O_CREAT, 0600, 0);
    CHECK(s != SEM_FAILED && !sem_close(s));
    CHECK(!sem_unlink(name) || errno == ENOENT);
}

static void *work_in_time(void *number)
{
    for (int i = 0; i < TIMED_ROUNDS; i++) {
        take(&mutex);
        take(&inheriting);
        take(&robust);
        wait_for_call();
        read_or_write(pthread_rwlock_timedrdlock);
        read_or_write(pthread_rwlock_timedwrlock);
        take_permit();
        if (i % OPEN_EVERY == 0) {
            open_and_close(i);
            pthread_barrier_wait(&barrier);
        }
    }
    return number;
}

static void prepare(unsigned threads)
{
    pthread_mutexattr_t a;
    CHECK(!pthread_mutexattr_init(&a));
    CHECK(!pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT));
    CHECK(!pthread_mutex_init(&inheriting, &a));
    CHECK(!pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_NONE));
    CHECK(!pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
    CHECK(!pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
    CHECK(!pthread_mutex_init(&robust, &a));
    CHECK(!pthread_barrier_init(&barrier, NULL, threads) && !sem_init(&sem, 0, PERMITS));
    CHECK(!pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE));
}

static void run(size_t n, void *(*body)(void *))
{
    static pthread_t threads[MANY];
    pthread_attr_t small;
    long least = sysconf(_SC_THREAD_STACK_MIN); /* on some architectures it is more */
    size_t bytes = least > STACK_BYTES ? (size_t)least : STACK_BYTES;
    CHECK(!pthread_attr_init(&small) && !pthread_attr_setstacksize(&small, bytes));
    prepare((unsigned)n);
    for (size_t i = 0; i < n; i++)
        CHECK(!pthread_create(&threads[i], &small, body, (void *)i));
    for (size_t i = 0; i < n; i++)
        CHECK(!pthread_join(threads[i], NULL));
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "timed") == 0) {
        run(FEW, work_in_time);
        CHECK(calls == FEW * TIMED_ROUNDS);
    } else {
        run(MANY, work);
        CHECK(counted == MANY * ROUNDS && counted_again == counted && spun == counted);
        CHECK(written == MANY * ROUNDS / 8 && serial == 1 && baton == MANY);
    }
    CHECK(!pthread_barrier_destroy(&barrier) && !sem_destroy(&sem) && !pthread_cond_destroy(&turn));
    CHECK(!pthread_mutex_destroy(&mutex) && !pthread_rwlock_destroy(&rwlock));
    puts("all came to the end");
    return 0;
}
