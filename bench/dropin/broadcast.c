/* SPDX-License-Identifier: MIT */
/*
 * All who wait on a condition variable are woken: the rounds of condperf (its README says what they
 * are), through the POSIX names.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>

#include "bench/common/pin.h"
#include "dropin.h"
#include "measure/clock.h"

enum {
    WARM_ROUNDS = 2,
    ROUNDS_LEAST = 3,
    SETTLE_NS = 60000, /* longer than anybody polls before it sleeps */
    STACK = 65536,
    MS = 1000000
};

struct fixture {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    sem_t told; /* all wait again, or all have gone */
    uint64_t section;

    /* Under the mutex. */
    unsigned tickets, left, here, begun;
    uint64_t ended;
    bool over;
};

static void *waiter(void *arg)
{
    struct fixture *s = arg;

    pthread_mutex_lock(&s->mutex);
    pin_if_wanted(s->begun++);
    for (;;) {
        if (--s->left == 0) {
            s->ended = clock_ns();
            sem_post(&s->told);
        }
        do {
            pthread_cond_wait(&s->cond, &s->mutex);
        } while (s->tickets == 0 && !s->over);
        if (s->over)
            break;
        s->tickets--;
        work_do(s->section);
    }
    if (--s->here == 0)
        sem_post(&s->told);
    pthread_mutex_unlock(&s->mutex);
    return NULL;
}

static void be_told(struct fixture *s)
{
    while (sem_wait(&s->told) != 0)
        ;
}

/* Until all sleep. */
static void await_all(struct fixture *s)
{
    be_told(s);
    pthread_mutex_lock(&s->mutex);
    pthread_mutex_unlock(&s->mutex);
    for (uint64_t until = clock_ns() + SETTLE_NS; clock_ns() < until;)
        sched_yield();
}

static uint64_t run_once(struct fixture *s, unsigned waiters)
{
    uint64_t began;

    pthread_mutex_lock(&s->mutex);
    s->left = s->tickets = waiters;
    began = clock_ns();
    pthread_cond_broadcast(&s->cond);
    pthread_mutex_unlock(&s->mutex);
    await_all(s);
    return s->ended - began;
}

static void start(struct fixture *s, pthread_t *threads, unsigned n)
{
    pthread_attr_t attr;

    check(pthread_attr_init(&attr), "pthread_attr_init");
    check(pthread_attr_setstacksize(&attr, STACK), "pthread_attr_setstacksize");
    for (unsigned i = 0; i < n; i++)
        check(pthread_create(&threads[i], &attr, waiter, s), "pthread_create");
    pthread_attr_destroy(&attr);
}

static void end_all(struct fixture *s, pthread_t *threads, unsigned n)
{
    pthread_mutex_lock(&s->mutex);
    s->over = true;
    pthread_cond_broadcast(&s->cond);
    pthread_mutex_unlock(&s->mutex);
    be_told(s);
    for (unsigned i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

void broadcast_run(const struct bench_case *c, struct order *o)
{
    static struct fixture s = {.mutex = PTHREAD_MUTEX_INITIALIZER,
                               .cond = PTHREAD_COND_INITIALIZER};
    pthread_t *threads = calloc(o->threads, sizeof *threads);
    uint64_t ns = 0, end;
    unsigned rounds = 0;

    (void)c;
    if (threads == NULL)
        abort();
    check(sem_init(&s.told, 0, 0), "sem_init");
    s.section = work_steps(o->held_us * 1000);
    s.left = s.here = o->threads;
    start(&s, threads, o->threads);
    await_all(&s);
    for (int i = 0; i < WARM_ROUNDS; i++)
        run_once(&s, o->threads);
    end = clock_ns() + (uint64_t)(o->milliseconds * MS);
    struct switches before = switches_now();
    for (; rounds < ROUNDS_LEAST || clock_ns() < end; rounds++)
        ns += run_once(&s, o->threads);
    struct switches after = switches_now();
    end_all(&s, threads, o->threads);
    o->ns = (double)ns / rounds;
    o->voluntary = (double)(after.voluntary - before.voluntary) / rounds / o->threads;
    o->involuntary = (double)(after.involuntary - before.involuntary) / rounds / o->threads;
    free(threads);
}
