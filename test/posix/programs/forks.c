// SPDX-License-Identifier: MIT
// A program that forks while its threads lock.  Handlers hold its mutex over the fork, as libraries
// do; each child locks what it inherited, starts threads of its own, forks again, and meets its
// parent at a mutex, a condition variable and a semaphore that they share.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, FORKS = 150, CHILD_ROUNDS = 100, SECONDS = 600 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, recursive;
// With one that prefers readers, the one who forks would never come to write.
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static pthread_mutexattr_t recursive_kind;
static int stop;
static long count;

static struct shared {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    pthread_barrier_t barrier;
    sem_t sem;
    long count, arrived;
} * shared;

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "forks: line %d: not %s\n", __LINE__, #condition); \
            _exit(1);                                                          \
        }                                                                      \
    } while (0)

static void before(void)
{
    CHECK(!pthread_mutex_lock(&recursive) && !pthread_mutex_lock(&mutex));
    CHECK(!pthread_rwlock_wrlock(&rwlock));
}

static void after(void)
{
    CHECK(!pthread_rwlock_unlock(&rwlock));
    CHECK(!pthread_mutex_unlock(&mutex) && !pthread_mutex_unlock(&recursive));
}

/// A recursive mutex belongs to a thread of the parent, and threads that the child has not wait for
/// the read-write lock: with the C library it must make both anew.
static void after_in_child(void)
{
    CHECK(!pthread_mutex_unlock(&mutex));
    rwlock = (pthread_rwlock_t)PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
    CHECK(!pthread_mutex_init(&recursive, &recursive_kind));
}

static void *work(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        CHECK(!pthread_mutex_lock(&recursive));
        CHECK(!pthread_mutex_lock(&mutex));
        count++;
        CHECK(!pthread_cond_signal(&cond));
        CHECK(!pthread_mutex_unlock(&mutex) && !pthread_mutex_unlock(&recursive));
        CHECK(!pthread_rwlock_rdlock(&rwlock) && !pthread_rwlock_unlock(&rwlock));
        CHECK(!sem_post(&sem) && !sem_wait(&sem));
    }
    return NULL;
}

static void *few(void *unused)
{
    (void)unused;
    for (int i = 0; i < CHILD_ROUNDS; i++) {
        CHECK(!pthread_mutex_lock(&mutex));
        count++;
        CHECK(!pthread_mutex_unlock(&mutex));
    }
    return NULL;
}

/// A child's or grandchild's life.
static void live(void)
{
    pthread_t threads[2];
    CHECK(!pthread_mutex_lock(&mutex));
    count = 0;
    CHECK(!pthread_mutex_unlock(&mutex));
    for (int i = 0; i < 2; i++)
        CHECK(!pthread_create(&threads[i], NULL, few, NULL));
    for (int i = 0; i < 2; i++)
        CHECK(!pthread_join(threads[i], NULL));
    CHECK(count == 2 * CHILD_ROUNDS);
    CHECK(!pthread_mutex_lock(&shared->mutex));
    shared->count++;
    CHECK(!pthread_cond_signal(&shared->cond) && !pthread_mutex_unlock(&shared->mutex));
    CHECK(!sem_post(&shared->sem));
}

static void descend(void)
{
    alarm(SECONDS);
    live();
    pid_t pid = fork();
    if (!pid) {
        live();
        _exit(0);
    }
    int status;
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && !status);
    pthread_barrier_wait(&shared->barrier);
    _exit(0);
}

static void prepare(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    pthread_mutexattr_t ma;
    pthread_condattr_t ca;
    pthread_barrierattr_t ba;
    CHECK(!pthread_mutexattr_init(&ma) && !pthread_condattr_init(&ca));
    CHECK(!pthread_mutexattr_init(&recursive_kind));
    CHECK(!pthread_mutexattr_settype(&recursive_kind, PTHREAD_MUTEX_RECURSIVE));
    CHECK(!pthread_mutex_init(&recursive, &recursive_kind));
    CHECK(!pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED));
    CHECK(!pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED));
    CHECK(!pthread_barrierattr_init(&ba));
    CHECK(!pthread_barrierattr_setpshared(&ba, PTHREAD_PROCESS_SHARED));
    CHECK(!pthread_mutex_init(&shared->mutex, &ma) && !pthread_cond_init(&shared->cond, &ca));
    CHECK(!pthread_barrier_init(&shared->barrier, &ba, 2));
    CHECK(!sem_init(&shared->sem, 1, 0) && !sem_init(&sem, 0, 0));
    CHECK(!pthread_atfork(before, after, after_in_child));
}

int main(void)
{
    pthread_t threads[THREADS];
    prepare();
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, work, NULL));
    for (int i = 0; i < FORKS; i++) {
        long wanted = 2 * (i + 1);
        alarm(SECONDS);
        pid_t pid = fork();
        if (!pid)
            descend();
        CHECK(pid > 0);
        CHECK(!pthread_mutex_lock(&shared->mutex));
        while (shared->count < wanted)
            CHECK(!pthread_cond_wait(&shared->cond, &shared->mutex));
        CHECK(!pthread_mutex_unlock(&shared->mutex));
        CHECK(!sem_wait(&shared->sem) && !sem_wait(&shared->sem));
        pthread_barrier_wait(&shared->barrier);
        int status;
        CHECK(waitpid(pid, &status, 0) == pid && !status);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_join(threads[i], NULL));
    CHECK(count > 0);
    return 0;
}
