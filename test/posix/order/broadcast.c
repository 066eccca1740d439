/* SPDX-License-Identifier: MIT */
/*
 * Real-time threads wait on a condition variable, and a broadcast comes from a thread that does not
 * hold the mutex, while several CPUs could run them.  They get the mutex by priority: only one is
 * awake for it at a time.  With the C library all wake up and contend:
 *
 *     test_preload_order_broadcast glibc        tells how often a less urgent one is first there
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
#include "test/support/sleeper.h"

enum { THREADS = 4, ROUNDS = 500, MAIN = 40, STEP = 5 };

#define INSIDE_NS 20000 /* in the mutex: long enough for another thread to wake up meanwhile */

struct library {
    int (*lock)(pthread_mutex_t *), (*unlock)(pthread_mutex_t *);
    int (*wait)(pthread_cond_t *, pthread_mutex_t *);
    int (*broadcast)(pthread_cond_t *);
};

static const struct library glibc = {pthread_mutex_lock, pthread_mutex_unlock, pthread_cond_wait,
                                     pthread_cond_broadcast};
static const struct library furwock = {fw_posix_mutex_lock_, fw_posix_mutex_unlock_,
                                       fw_posix_cond_wait_, fw_posix_cond_broadcast_};
static const struct library *lib = &furwock;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t round_over;
static sem_t start[THREADS];
static int rounds; /* begun */
static pid_t waits[THREADS];
static pid_t ids[THREADS];
static int served[THREADS], n_served;

static void stay(int64_t ns)
{
    int64_t end = (int64_t)now_ns() + ns;

    while ((int64_t)now_ns() < end)
        ;
}

static void *thread(void *arg)
{
    int self = (int)(intptr_t)arg;

    ids[self] = (pid_t)syscall(SYS_gettid);
    for (int round = 1; round <= ROUNDS; round++) {
        while (sem_wait(&start[self]) != 0)
            ;
        lib->lock(&mutex);
        __atomic_store_n(&waits[self], ids[self], __ATOMIC_RELEASE);
        while (rounds < round)
            lib->wait(&cond, &mutex);
        served[n_served++] = self;
        stay(INSIDE_NS);
        lib->unlock(&mutex);
        pthread_barrier_wait(&round_over);
    }
    return NULL;
}

static void set_priority(pthread_t t, int priority)
{
    const struct sched_param param = {.sched_priority = priority};
    int error = pthread_setschedparam(t, SCHED_FIFO, &param);

    if (error == EPERM) {
        printf("skipped: no permission for SCHED_FIFO\n");
        exit(77);
    }
    if (error != 0) {
        fprintf(stderr, "priority: %s\n", strerror(error));
        exit(1);
    }
}

/* The threads are the more urgent, the higher their numbers are. */
static bool is_in_order(void)
{
    for (int i = 1; i < THREADS; i++)
        if (served[i - 1] < served[i])
            return false;
    return true;
}

static bool play(void)
{
    const bool never = false;

    memset(waits, 0, sizeof waits);
    n_served = 0;
    for (int i = 0; i < THREADS; i++) { /* alone, so that it sleeps for nothing but the broadcast */
        sem_post(&start[i]);
        await_asleep(getpid(), &waits[i], &never);
    }
    lib->lock(&mutex);
    rounds++;
    lib->unlock(&mutex);
    lib->broadcast(&cond);
    pthread_barrier_wait(&round_over);
    return is_in_order();
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int wrong = 0;

    if (argc > 1 && strcmp(argv[1], "glibc") == 0)
        lib = &glibc;
    set_priority(pthread_self(), MAIN);
    pthread_barrier_init(&round_over, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++) {
        sem_init(&start[i], 0, 0);
        if (pthread_create(&threads[i], NULL, thread, (void *)(intptr_t)i) != 0)
            return 1;
        set_priority(threads[i], STEP * (i + 1));
    }
    for (int round = 0; round < ROUNDS; round++)
        wrong += play() ? 0 : 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d of %d broadcasts let a less urgent thread go before another\n", wrong, ROUNDS);
    return wrong == 0 || lib == &glibc ? 0 : 1;
}
