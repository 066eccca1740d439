/* SPDX-License-Identifier: MIT */
/* Threads that want the same lock, or pass a semaphore to and fro, for a while. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>

#include "dropin.h"
#include "measure/clock.h"

enum { THREADS_MOST = 256, WARM_MS = 2, MS = 1000000, FULL = 100 };

struct member;

struct crowd {
    union {
        pthread_mutex_t mutex;
        pthread_rwlock_t rwlock;
        sem_t sems[2];
    };
    void (*turn)(struct crowd *crowd, struct member *me);
    uint64_t held, outside; /* steps of work */
    int reads;              /* per cent */
    bool passes;            /* the semaphores */
    bool go, over;
};

struct member {
    struct crowd *crowd;
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

static void *member_thread(void *arg)
{
    struct member *me = arg;
    struct crowd *crowd = me->crowd;

    while (!is(&crowd->go))
        sched_yield();
    while (!is(&crowd->over)) {
        crowd->turn(crowd, me);
        __atomic_store_n(&me->turns, me->turns + 1, __ATOMIC_RELAXED);
        work_do(crowd->outside);
    }
    return NULL;
}

static uint64_t turns_of(const struct member *members, unsigned n)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < n; i++)
        sum += __atomic_load_n(&members[i].turns, __ATOMIC_RELAXED);
    return sum;
}

/* Nanoseconds for each turn that anybody had; and who waited for it was switched so often. */
static void gather(struct crowd *crowd, struct order *o)
{
    static struct member members[THREADS_MOST];

    crowd->held = work_steps(o->held_us * 1000);
    crowd->outside = work_steps(o->free_us * 1000);
    for (unsigned i = 0; i < o->threads; i++) {
        members[i] = (struct member){.crowd = crowd, .index = i, .random = 2 * i + 1};
        check(pthread_create(&members[i].thread, NULL, member_thread, &members[i]),
              "pthread_create");
    }
    __atomic_store_n(&crowd->go, true, __ATOMIC_RELEASE);
    clock_sleep_ns((uint64_t)WARM_MS * MS);

    struct switches before = switches_now();
    uint64_t turns = turns_of(members, o->threads), began = clock_ns();
    clock_sleep_ns((uint64_t)(o->milliseconds * MS));
    uint64_t took = clock_ns() - began;
    turns = turns_of(members, o->threads) - turns;
    struct switches after = switches_now();

    __atomic_store_n(&crowd->over, true, __ATOMIC_RELEASE);
    for (int i = 0; i < 2 && crowd->passes; i++)
        sem_post(&crowd->sems[i]); /* for whoever waits for one that has ended */
    for (unsigned i = 0; i < o->threads; i++)
        check(pthread_join(members[i].thread, NULL), "pthread_join");
    o->ns = (double)took / (double)(turns != 0 ? turns : 1);
    o->voluntary = (double)(after.voluntary - before.voluntary) / (double)(turns + !turns);
    o->involuntary = (double)(after.involuntary - before.involuntary) / (double)(turns + !turns);
}

static void lock_once(struct crowd *crowd, struct member *me)
{
    (void)me;
    pthread_mutex_lock(&crowd->mutex);
    work_do(crowd->held);
    pthread_mutex_unlock(&crowd->mutex);
}

void crowd_mutex(const struct bench_case *c, struct order *o)
{
    static struct crowd crowd;

    mutex_make(&crowd.mutex, (enum mutex_kind)c->kind);
    crowd.turn = lock_once;
    gather(&crowd, o);
}

static void read_or_write(struct crowd *crowd, struct member *me)
{
    me->random = me->random * 1664525u + 1013904223u; /* Knuth's linear congruence */
    if ((int)((me->random >> 16) % FULL) < crowd->reads)
        pthread_rwlock_rdlock(&crowd->rwlock);
    else
        pthread_rwlock_wrlock(&crowd->rwlock);
    work_do(crowd->held);
    pthread_rwlock_unlock(&crowd->rwlock);
}

void crowd_read(const struct bench_case *c, struct order *o)
{
    static struct crowd crowd;

    check(pthread_rwlock_init(&crowd.rwlock, NULL), "pthread_rwlock_init");
    crowd.turn = read_or_write;
    crowd.reads = c->kind;
    gather(&crowd, o);
}

static void pass(struct crowd *crowd, struct member *me)
{
    while (sem_wait(&crowd->sems[me->index % 2]) != 0)
        ;
    work_do(crowd->held);
    sem_post(&crowd->sems[(me->index + 1) % 2]);
}

void crowd_pass(const struct bench_case *c, struct order *o)
{
    static struct crowd crowd;

    (void)c;
    check(sem_init(&crowd.sems[0], 0, 1), "sem_init");
    check(sem_init(&crowd.sems[1], 0, 0), "sem_init");
    crowd.turn = pass;
    crowd.passes = true;
    gather(&crowd, o);
}
