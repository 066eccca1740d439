/* SPDX-License-Identifier: MIT */
/*
 * A storm over one condition variable, by its POSIX names: takers wait for units, with and without
 * deadlines, and are cancelled at any moment; givers signal and broadcast, with and without the
 * mutex.  No unit is lost or made up, clean-up handlers hold the mutex, and when nobody gives any
 * more, all units are taken: who was cancelled has taken no wake along.
 *
 *     test_cond_storm MUTEX private|shared [SECONDS]
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TAKERS = 5, GIVERS = 2, BURST = 40, PATIENCE_S = 600, S = 1000000000 };

static pthread_mutex_t mutex;
static pthread_cond_t cond;
static uint64_t given, taken, units, handled, timed_out; /* guarded by the mutex */
static int inside;
static bool closing, with_deadlines;

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s (%llu given, %llu taken, %llu there)\n", what, (unsigned long long)given,
            (unsigned long long)taken, (unsigned long long)units);
    abort();
}

static uint32_t draw(uint32_t *random, uint32_t n)
{
    *random = *random * 1664525u + 1013904223u;
    return (*random >> 8) % n;
}

static void lock(void)
{
    check(pthread_mutex_lock(&mutex) == 0, "lock");
    check(__atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED) == 0, "two are inside");
}

static void unlock(void)
{
    check(__atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED) == 1, "nobody was inside");
    check(pthread_mutex_unlock(&mutex) == 0, "unlock");
}

/* A thread that takes. */
struct taker {
    uint32_t random;
    bool is_waiting;
};

/* A wait leaves the mutex, and a cancelled one comes back to it before its handlers run. */
static void handler(void *arg)
{
    const struct taker *me = arg;

    if (me->is_waiting)
        check(__atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED) == 0, "handler: two are inside");
    handled++;
    unlock();
}

static struct timespec soon(uint32_t *random)
{
    struct timespec at;

    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_nsec += (long)draw(random, 100000);
    at.tv_sec += at.tv_nsec / S;
    at.tv_nsec %= S;
    return at;
}

static void wait_once(struct taker *me)
{
    int error;

    me->is_waiting = true;
    __atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
    if (with_deadlines && draw(&me->random, 2) == 0) {
        struct timespec at = soon(&me->random);

        error = pthread_cond_timedwait(&cond, &mutex, &at);
    } else {
        error = pthread_cond_wait(&cond, &mutex);
    }
    check(__atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED) == 0, "after a wait, two are inside");
    me->is_waiting = false;
    timed_out += error == ETIMEDOUT;
    check(error == 0 || error == ETIMEDOUT, "wait");
}

static void *take(void *arg)
{
    struct taker me = {(uint32_t)(uintptr_t)arg, false};

    lock();
    pthread_cleanup_push(handler, &me);
    while (!closing) {
        while (units == 0 && !closing)
            wait_once(&me);
        if (units != 0) {
            units--;
            taken++;
        }
    }
    pthread_cleanup_pop(0);
    unlock();
    return NULL;
}

static void give(uint32_t *random)
{
    unsigned n = 1 + draw(random, 3);
    bool held = draw(random, 2) == 0;

    lock();
    units += n;
    given += n;
    if (!held)
        unlock();
    if (draw(random, 2) == 0)
        pthread_cond_broadcast(&cond);
    else
        for (unsigned i = 0; i < n; i++)
            pthread_cond_signal(&cond);
    if (held)
        unlock();
}

static void *give_a_burst(void *arg)
{
    uint32_t random = (uint32_t)(uintptr_t)arg;

    for (unsigned i = 0; i < BURST; i++) {
        struct timespec pause = {0, (long)draw(&random, 20000)};

        give(&random);
        if (draw(&random, 4) == 0)
            nanosleep(&pause, NULL);
    }
    return NULL;
}

static void start(pthread_t *thread, void *(*body)(void *), uint32_t *random)
{
    check(pthread_create(thread, NULL, body, (void *)(uintptr_t)draw(random, 1u << 24)) == 0,
          "no thread can be started");
}

/* A thread that waits must have heard of the permits that are there. */
static void await_the_last_unit(void)
{
    bool done = false;

    while (!done) {
        lock();
        done = units == 0;
        unlock();
        sched_yield();
    }
}

static void do_a_round(pthread_t *takers, uint32_t *random)
{
    pthread_t givers[GIVERS];

    for (unsigned i = 0; i < GIVERS; i++)
        start(&givers[i], give_a_burst, random);
    for (unsigned i = 0; i < 8; i++) {
        unsigned who = draw(random, TAKERS);
        struct timespec pause = {0, (long)draw(random, 50000)};

        nanosleep(&pause, NULL);
        pthread_cancel(takers[who]);
        pthread_join(takers[who], NULL);
        start(&takers[who], take, random);
    }
    for (unsigned i = 0; i < GIVERS; i++)
        pthread_join(givers[i], NULL);
    await_the_last_unit();
    lock();
    check(given == taken, "a unit is lost, or made up");
    with_deadlines = !with_deadlines;
    unlock();
}

static void set_kind(pthread_mutexattr_t *attr, const char *kind)
{
    if (strcmp(kind, "recursive") == 0)
        pthread_mutexattr_settype(attr, PTHREAD_MUTEX_RECURSIVE);
    else if (strcmp(kind, "errorcheck") == 0)
        pthread_mutexattr_settype(attr, PTHREAD_MUTEX_ERRORCHECK);
    else if (strcmp(kind, "shared") == 0)
        pthread_mutexattr_setpshared(attr, PTHREAD_PROCESS_SHARED);
    else if (strcmp(kind, "robust") == 0)
        pthread_mutexattr_setrobust(attr, PTHREAD_MUTEX_ROBUST);
    else if (strcmp(kind, "inherit") == 0)
        pthread_mutexattr_setprotocol(attr, PTHREAD_PRIO_INHERIT);
    else
        check(strcmp(kind, "normal") == 0, "no such kind");
}

static void make(const char *kind, const char *sharing)
{
    pthread_mutexattr_t mutex_attr;
    pthread_condattr_t cond_attr;

    pthread_mutexattr_init(&mutex_attr);
    set_kind(&mutex_attr, kind);
    pthread_mutex_init(&mutex, &mutex_attr);
    pthread_condattr_init(&cond_attr);
    if (strcmp(sharing, "shared") == 0)
        pthread_condattr_setpshared(&cond_attr, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&cond, &cond_attr);
}

int main(int argc, char **argv)
{
    pthread_t takers[TAKERS];
    uint32_t random = (uint32_t)getpid();
    int seconds = argc > 3 ? atoi(argv[3]) : getenv("TESTS_IN_FULL") ? 2 : 1;
    time_t end = time(NULL) + seconds;

    make(argc > 1 ? argv[1] : "normal", argc > 2 ? argv[2] : "private");
    alarm(PATIENCE_S);
    for (unsigned i = 0; i < TAKERS; i++)
        start(&takers[i], take, &random);
    do
        do_a_round(takers, &random);
    while (time(NULL) < end);
    lock();
    closing = true;
    pthread_cond_broadcast(&cond);
    unlock();
    for (unsigned i = 0; i < TAKERS; i++)
        pthread_join(takers[i], NULL);
    printf("%llu given, %llu handlers ran, %llu waits timed out\n", (unsigned long long)given,
           (unsigned long long)handled, (unsigned long long)timed_out);
    return pthread_cond_destroy(&cond) != 0 || pthread_mutex_destroy(&mutex) != 0;
}
