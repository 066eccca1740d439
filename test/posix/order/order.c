/* SPDX-License-Identifier: MIT */
/*
 * Threads wait for a mutex, a condition variable, a read-write lock, a semaphore; they come in the
 * order of their numbers, on one CPU, below a main thread that lets them through.  The most urgent
 * is to be served first, of equals the one that came first; as with the C library, which is put to
 * the same test.  Then their priorities are changed, by somebody else, and they wait once more.
 *
 *     test_preload_order broadcast [glibc]
 *
 * On all CPUs, they are woken by a broadcast from a thread that does not hold the mutex, many
 * times.  Only one is awake for the mutex at a time, so they get it by priority; with the C library
 * all wake up and contend, and it is told how often a less urgent one is first there.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cond.h"
#include "mutex.h"
#include "rwlock.h"
#include "sem.h"
#include "test/support/sleeper.h"

enum { THREADS = 6, ROUNDS = 2, MAIN = 40 };
enum { BROADCAST_THREADS = 4, BROADCAST_ROUNDS = 500 };

#define INSIDE_NS 20000 /* in the mutex: long enough for another thread to wake up meanwhile */

/* Of each thread in each round; 0: SCHED_OTHER. */
static const int priorities[ROUNDS][THREADS] = {{0, 10, 20, 20, 0, 30}, {30, 20, 0, 0, 20, 10}};
static const int in_broadcast[BROADCAST_THREADS] = {5, 10, 15, 20};

struct library {
    const char *name;
    int (*lock)(pthread_mutex_t *), (*unlock)(pthread_mutex_t *);
    int (*wait)(pthread_cond_t *, pthread_mutex_t *);
    int (*signal)(pthread_cond_t *), (*broadcast)(pthread_cond_t *);
    int (*wrlock)(pthread_rwlock_t *), (*rwunlock)(pthread_rwlock_t *);
    int (*down)(sem_t *), (*up)(sem_t *);
};

static const struct library libraries[] = {
    {"the C library", pthread_mutex_lock, pthread_mutex_unlock, pthread_cond_wait,
     pthread_cond_signal, pthread_cond_broadcast, pthread_rwlock_wrlock, pthread_rwlock_unlock,
     sem_wait, sem_post},
    {"furwock", fw_posix_mutex_lock_, fw_posix_mutex_unlock_, fw_posix_cond_wait_,
     fw_posix_cond_signal_, fw_posix_cond_broadcast_, fw_posix_rwlock_wrlock_,
     fw_posix_rwlock_unlock_, fw_posix_sem_wait_, fw_posix_sem_post_}};

enum what { MUTEX, SIGNAL, SIGNAL_FREE, BROADCAST, RWLOCK, SEMAPHORE, KINDS, BROADCAST_FREE };

static const char *const names[KINDS] = {
    "mutex",     "signal with the mutex", "signal without the mutex",
    "broadcast", "read-write lock",       "semaphore"};

static const struct library *lib;
static enum what what;
static union {
    struct {
        pthread_mutex_t mutex;
        pthread_cond_t cond;
    };
    pthread_rwlock_t rwlock;
} object;
static sem_t semaphore, start[THREADS];
static pid_t waits[THREADS]; /* the thread is about to wait */
static pid_t ids[THREADS];
static int served[THREADS], n_served;
static int signals; /* that are still to be taken */
static int n_threads = THREADS, n_rounds = ROUNDS;

static bool uses_cond(void)
{
    return what == SIGNAL || what == SIGNAL_FREE || what == BROADCAST || what == BROADCAST_FREE;
}

static void stay(uint64_t ns)
{
    uint64_t end = now_ns() + ns;

    while (now_ns() < end)
        ;
}

static void note(int self)
{
    served[__atomic_fetch_add(&n_served, 1, __ATOMIC_ACQ_REL)] = self;
}

static void say_so(int self)
{
    __atomic_store_n(&waits[self], ids[self], __ATOMIC_RELEASE);
}

static void wait_once(int self)
{
    if (uses_cond()) {
        lib->lock(&object.mutex);
        say_so(self);
        while (signals == 0)
            lib->wait(&object.cond, &object.mutex);
        signals--;
        note(self);
        if (what == BROADCAST_FREE)
            stay(INSIDE_NS);
        lib->unlock(&object.mutex);
        return;
    }
    say_so(self);
    if (what == MUTEX)
        lib->lock(&object.mutex);
    else if (what == RWLOCK)
        lib->wrlock(&object.rwlock);
    else
        lib->down(&semaphore);
    note(self);
    if (what == MUTEX)
        lib->unlock(&object.mutex);
    else if (what == RWLOCK)
        lib->rwunlock(&object.rwlock);
}

static void *thread(void *arg)
{
    int self = (int)(intptr_t)arg;

    ids[self] = (pid_t)syscall(SYS_gettid);
    for (int round = 0; round < n_rounds; round++) {
        while (sem_wait(&start[self]) != 0)
            ;
        wait_once(self);
    }
    return NULL;
}

static void await_served(int n)
{
    while (__atomic_load_n(&n_served, __ATOMIC_ACQUIRE) < n)
        usleep(200);
}

/* Lets them through: all at once, or one by one. */
static void let_through(void)
{
    if (what == MUTEX) {
        lib->unlock(&object.mutex);
    } else if (what == RWLOCK) {
        lib->rwunlock(&object.rwlock);
    } else if (what == BROADCAST || what == BROADCAST_FREE) {
        lib->lock(&object.mutex);
        signals = n_threads;
        if (what == BROADCAST)
            lib->broadcast(&object.cond);
        lib->unlock(&object.mutex);
        if (what == BROADCAST_FREE)
            lib->broadcast(&object.cond);
    }
    for (int n = 1; n <= n_threads; n++) {
        if (what == SEMAPHORE)
            lib->up(&semaphore);
        if (what == SIGNAL || what == SIGNAL_FREE) {
            lib->lock(&object.mutex);
            signals++;
            if (what == SIGNAL)
                lib->signal(&object.cond);
            lib->unlock(&object.mutex);
            if (what == SIGNAL_FREE)
                lib->signal(&object.cond);
        }
        await_served(n);
    }
}

static void set_priority(pthread_t t, int priority)
{
    const struct sched_param param = {.sched_priority = priority};
    int error = pthread_setschedparam(t, priority == 0 ? SCHED_OTHER : SCHED_FIFO, &param);

    if (error == EPERM) {
        printf("skipped: no permission for SCHED_FIFO\n");
        exit(77);
    }
    if (error != 0) {
        fprintf(stderr, "priority: %s\n", strerror(error));
        exit(1);
    }
}

static int priority_of(int thread, int round)
{
    return what == BROADCAST_FREE ? in_broadcast[thread] : priorities[round][thread];
}

/* Does thread a go before thread b?  After a broadcast ordinary threads may fight for the mutex. */
static bool goes_before(int a, int b, int round)
{
    int mine = priority_of(a, round), its = priority_of(b, round);

    if (what == BROADCAST && mine == 0 && its == 0)
        return true;
    return mine != its ? mine > its : a < b;
}

static bool is_in_order(int round)
{
    bool good = true;

    for (int i = 1; i < n_threads; i++)
        good &= goes_before(served[i - 1], served[i], round);
    if (good || what == BROADCAST_FREE)
        return good;
    fprintf(stderr, "%s, %s, round %d: served", lib->name, names[what], round + 1);
    for (int i = 0; i < THREADS; i++)
        fprintf(stderr, " %d (priority %d)", served[i], priorities[round][served[i]]);
    fprintf(stderr, "\n");
    return false;
}

static bool play(int round, pthread_t *threads)
{
    const bool never = false;

    n_served = 0;
    signals = 0;
    memset(waits, 0, sizeof waits);
    if (what == MUTEX)
        lib->lock(&object.mutex);
    else if (what == RWLOCK)
        lib->wrlock(&object.rwlock);
    for (int i = 0; i < n_threads; i++) {
        set_priority(threads[i], priority_of(i, round));
        sem_post(&start[i]);
        await_asleep(getpid(), &waits[i], &never);
    }
    let_through();
    return is_in_order(round);
}

/* In how many rounds were they not served in order? */
static int count_wrong(void)
{
    pthread_t threads[THREADS];
    int wrong = 0;

    memset(&object, 0, sizeof object);
    sem_init(&semaphore, 0, 0);
    for (int i = 0; i < n_threads; i++) {
        sem_init(&start[i], 0, 0);
        if (pthread_create(&threads[i], NULL, thread, (void *)(intptr_t)i) != 0)
            exit(1);
    }
    for (int round = 0; round < n_rounds; round++)
        wrong += play(round, threads) ? 0 : 1;
    for (int i = 0; i < n_threads; i++)
        pthread_join(threads[i], NULL);
    return wrong;
}

static bool try_broadcasts(bool is_glibc)
{
    int wrong;

    lib = &libraries[is_glibc ? 0 : 1];
    what = BROADCAST_FREE;
    n_threads = BROADCAST_THREADS;
    n_rounds = BROADCAST_ROUNDS;
    wrong = count_wrong();
    printf("%d of %d broadcasts let a less urgent thread go before another\n", wrong, n_rounds);
    return is_glibc || wrong == 0;
}

static bool try_all_on_one_cpu(void)
{
    bool good = true;
    cpu_set_t here;

    CPU_ZERO(&here);
    CPU_SET((unsigned)sched_getcpu(), &here);
    if (sched_setaffinity(0, sizeof here, &here) != 0) {
        printf("skipped: cannot stay on one CPU\n");
        exit(77);
    }
    for (unsigned i = 0; i < 2; i++) {
        lib = &libraries[i];
        for (what = 0; what < KINDS; what++)
            good &= count_wrong() == 0;
    }
    return good;
}

int main(int argc, char **argv)
{
    set_priority(pthread_self(), MAIN);
    if (argc > 1 && strcmp(argv[1], "broadcast") == 0)
        return try_broadcasts(argc > 2 && strcmp(argv[2], "glibc") == 0) ? 0 : 1;
    return try_all_on_one_cpu() ? 0 : 1;
}
