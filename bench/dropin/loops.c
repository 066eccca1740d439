/* SPDX-License-Identifier: MIT */
/* Calls that meet nobody, in a tight loop. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "bench/common/pin.h"
#include "dropin.h"
#include "measure/clock.h"
#include "measure/stats.h"

enum {
    SAMPLES_MOST = 4000,
    PAIRS = 20000, /* in a sample: 0.1 ms; clocks of virtual machines have steps of 0.5 us */
    WARM = 3,      /* samples that are not used */
    MS = 1000000   /* nanoseconds */
};

static void *sleeps(void *bed)
{
    while (sem_wait(bed) != 0)
        ;
    return NULL;
}

/* Both are cheaper while a process has one thread only. */
static void measure(void (*loop)(void *, unsigned), void *object, struct order *o)
{
    static double samples[SAMPLES_MOST];
    uint64_t end = clock_ns() + (uint64_t)(o->milliseconds * MS);
    size_t n = 0;
    pthread_t second;
    sem_t bed;

    check(sem_init(&bed, 0, 0), "sem_init");
    check(pthread_create(&second, NULL, sleeps, &bed), "pthread_create");
    pin_if_wanted(0);
    for (int i = 0; i < WARM; i++)
        loop(object, PAIRS);
    do {
        uint64_t began = clock_ns();

        loop(object, PAIRS);
        samples[n++] = (double)(clock_ns() - began) / PAIRS;
    } while (n < SAMPLES_MOST && clock_ns() < end);
    o->ns = stats_median(samples, n);
    sem_post(&bed);
    pthread_join(second, NULL);
}

static void mutex_pairs(void *object, unsigned n)
{
    for (; n != 0; n--) {
        pthread_mutex_lock(object);
        pthread_mutex_unlock(object);
    }
}

void loop_mutex(const struct bench_case *c, struct order *o)
{
    static pthread_mutex_t mutex;

    mutex_make(&mutex, (enum mutex_kind)c->kind);
    measure(mutex_pairs, &mutex, o);
}

static void sem_pairs(void *object, unsigned n)
{
    for (; n != 0; n--) {
        sem_post(object);
        sem_wait(object);
    }
}

void loop_sem(const struct bench_case *c, struct order *o)
{
    static sem_t sem;

    check(sem_init(&sem, c->kind, 0), "sem_init");
    measure(sem_pairs, &sem, o);
}

static void read_pairs(void *object, unsigned n)
{
    for (; n != 0; n--) {
        pthread_rwlock_rdlock(object);
        pthread_rwlock_unlock(object);
    }
}

static void write_pairs(void *object, unsigned n)
{
    for (; n != 0; n--) {
        pthread_rwlock_wrlock(object);
        pthread_rwlock_unlock(object);
    }
}

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

void loop_read(const struct bench_case *c, struct order *o)
{
    (void)c;
    measure(read_pairs, &rwlock, o);
}

void loop_write(const struct bench_case *c, struct order *o)
{
    (void)c;
    measure(write_pairs, &rwlock, o);
}

static void signals(void *object, unsigned n)
{
    for (; n != 0; n--)
        pthread_cond_signal(object);
}

void loop_signal(const struct bench_case *c, struct order *o)
{
    static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

    (void)c;
    measure(signals, &cond, o);
}

static void spin_pairs(void *object, unsigned n)
{
    for (; n != 0; n--) {
        pthread_spin_lock(object);
        pthread_spin_unlock(object);
    }
}

void loop_spin(const struct bench_case *c, struct order *o)
{
    static pthread_spinlock_t spin;

    check(pthread_spin_init(&spin, c->kind), "pthread_spin_init");
    measure(spin_pairs, (void *)&spin, o);
}
