/* SPDX-License-Identifier: MIT */
/* Threads that want the same lock, or pass a semaphore to and fro, for a while. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>

#include "bench/common/pin.h"
#include "dropin.h"
#include "measure/clock.h"

enum { THREADS_MOST = 256, WARM_MS = 2, MS = 1000000, FULL = 100 };

struct worker;

struct group {
    union {
        pthread_mutex_t mutex;
        pthread_rwlock_t rwlock;
        sem_t sems[2];
    };
    void (*turn)(struct group *group, struct worker *me);
    uint64_t held, outside; /* steps of work */
    int reads;              /* per cent */
    bool passes;            /* the semaphores */
    bool go, over;
};

struct worker {
    struct group *group;
    pthread_t thread;
    unsigned index;
    uint32_t random;
    uint64_t turns;
    uint64_t spare[8]; /* each counts in a cache line of its own */
};

static bool is(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void *worker_thread(void *arg)
{
    struct worker *me = arg;
    struct group *group = me->group;

    pin_if_wanted(me->index);
    while (!is(&group->go))
        sched_yield();
    while (!is(&group->over)) {
        group->turn(group, me);
        __atomic_store_n(&me->turns, me->turns + 1, __ATOMIC_RELAXED);
        work_do(group->outside);
    }
    return NULL;
}

static uint64_t turns_of(const struct worker *workers, unsigned n)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < n; i++)
        sum += __atomic_load_n(&workers[i].turns, __ATOMIC_RELAXED);
    return sum;
}

/* Nanoseconds for each turn that anybody had; and how often the waiters were switched. */
static void gather(struct group *group, struct order *o)
{
    static struct worker workers[THREADS_MOST];

    group->held = work_steps(o->held_us * 1000);
    group->outside = work_steps(o->free_us * 1000);
    for (unsigned i = 0; i < o->threads; i++) {
        workers[i] = (struct worker){.group = group, .index = i, .random = 2 * i + 1};
        check(pthread_create(&workers[i].thread, NULL, worker_thread, &workers[i]),
              "pthread_create");
    }
    __atomic_store_n(&group->go, true, __ATOMIC_RELEASE);
    clock_sleep_ns((uint64_t)WARM_MS * MS);

    struct switches before = switches_now();
    uint64_t turns = turns_of(workers, o->threads), began = clock_ns();
    clock_sleep_ns((uint64_t)(o->milliseconds * MS));
    uint64_t took = clock_ns() - began;
    turns = turns_of(workers, o->threads) - turns;
    struct switches after = switches_now();

    __atomic_store_n(&group->over, true, __ATOMIC_RELEASE);
    for (int i = 0; i < 2 && group->passes; i++)
        sem_post(&group->sems[i]); /* for whoever waits for one that has ended */
    for (unsigned i = 0; i < o->threads; i++)
        check(pthread_join(workers[i].thread, NULL), "pthread_join");
    o->ns = (double)took / (double)(turns != 0 ? turns : 1);
    o->voluntary = (double)(after.voluntary - before.voluntary) / (double)(turns + !turns);
    o->involuntary = (double)(after.involuntary - before.involuntary) / (double)(turns + !turns);
}

static void lock_once(struct group *group, struct worker *me)
{
    (void)me;
    pthread_mutex_lock(&group->mutex);
    work_do(group->held);
    pthread_mutex_unlock(&group->mutex);
}

void contended_mutex(const struct bench_case *c, struct order *o)
{
    static struct group group;

    mutex_make(&group.mutex, (enum mutex_kind)c->kind);
    group.turn = lock_once;
    gather(&group, o);
}

static void read_or_write(struct group *group, struct worker *me)
{
    me->random = me->random * 1664525u + 1013904223u; /* Knuth's linear congruence */
    if ((int)((me->random >> 16) % FULL) < group->reads)
        pthread_rwlock_rdlock(&group->rwlock);
    else
        pthread_rwlock_wrlock(&group->rwlock);
    work_do(group->held);
    pthread_rwlock_unlock(&group->rwlock);
}

void contended_read(const struct bench_case *c, struct order *o)
{
    static struct group group;

    check(pthread_rwlock_init(&group.rwlock, NULL), "pthread_rwlock_init");
    group.turn = read_or_write;
    group.reads = c->kind;
    gather(&group, o);
}

static void pass(struct group *group, struct worker *me)
{
    while (sem_wait(&group->sems[me->index % 2]) != 0)
        ;
    work_do(group->held);
    sem_post(&group->sems[(me->index + 1) % 2]);
}

void contended_pass(const struct bench_case *c, struct order *o)
{
    static struct group group;

    (void)c;
    check(sem_init(&group.sems[0], 0, 1), "sem_init");
    check(sem_init(&group.sems[1], 0, 0), "sem_init");
    group.turn = pass;
    group.passes = true;
    gather(&group, o);
}
