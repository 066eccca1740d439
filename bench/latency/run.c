/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdalign.h>
#include <string.h>

#include "bench/adapters/sync_adapter.h"
#include "latency.h"
#include "measure/clock.h"
#include "measure/stats.h"
#include "measure/task_limits.h"
#include "measure/workers.h"

enum {
    SAMPLES = 9,          /* of a run alone; their median counts */
    SAMPLE_NS = 300000,   /* long against a clock reading, short against a time slice */
    FIRST_TURNS = 64,     /* how long a turn takes is found by doubling these */
    SHARED_NS = 30000000, /* of a run with others: long against the start of the threads */
    LINE_PAIR = 128,
    NS_PER_S = 1000000000
};

/* What two or more threads do together. */
struct meeting {
    const adapter_head *lock;
    const struct test *test;
    void *objects; /* one of each party, or one barrier */
    uint64_t turns;
    alignas(LINE_PAIR) unsigned busy;
    uint64_t ended;
};

/* --- Alone ----------------------------------------------------------------------------------- */

static void loop(const struct test *t, const adapter_head *lock, void *object, uint64_t turns)
{
    switch (t->object) {
    case SEMAPHORE:
        ((const struct sem_adapter *)(const void *)lock)->loop(object, turns);
        return;
    case EVENT:
    case AUTOMATIC_EVENT:
        ((const struct event_adapter *)(const void *)lock)->loop(object, turns);
        return;
    case BARRIER:
        ((const struct barrier_adapter *)(const void *)lock)->loop(object, turns);
    }
}

static double time_loop(const struct test *t, const adapter_head *lock, void *object,
                        uint64_t turns)
{
    uint64_t began = clock_ns();

    loop(t, lock, object, turns);
    return (double)(clock_ns() - began);
}

static double alone(const struct test *t, const adapter_head *lock, void *object)
{
    double samples[SAMPLES], took;
    uint64_t turns = FIRST_TURNS;

    while ((took = time_loop(t, lock, object, turns)) < SAMPLE_NS / 4.0)
        turns *= 2;
    turns = (uint64_t)((double)turns * SAMPLE_NS / took) + 1;
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = time_loop(t, lock, object, turns) / (double)turns;
    return stats_median(samples, SAMPLES);
}

/* --- Together -------------------------------------------------------------------------------- */

static void leave(struct meeting *m)
{
    if (__atomic_sub_fetch(&m->busy, 1, __ATOMIC_ACQ_REL) == 0)
        m->ended = clock_ns();
}

static void at_semaphores(unsigned me, void *meeting)
{
    struct meeting *m = meeting;
    const struct sem_adapter *l = (const void *)m->lock;
    void *mine = sem_adapter_at(l, m->objects, me), *other = sem_adapter_at(l, m->objects, !me);

    for (uint64_t i = 0; i < m->turns; i++) {
        if (me != 0 || i != 0) /* the first begins */
            l->wait(mine);
        l->post(other);
    }
    leave(m);
}

static void at_events(unsigned me, void *meeting)
{
    struct meeting *m = meeting;
    const struct event_adapter *l = (const void *)m->lock;
    void *mine = event_adapter_at(l, m->objects, me), *other = event_adapter_at(l, m->objects, !me);

    for (uint64_t i = 0; i < m->turns; i++) {
        if (me != 0 || i != 0)
            l->wait(mine);
        l->set(other);
    }
    leave(m);
}

static void at_barrier(unsigned me, void *meeting)
{
    struct meeting *m = meeting;
    const struct barrier_adapter *l = (const void *)m->lock;

    (void)me;
    for (uint64_t i = 0; i < m->turns; i++)
        l->wait(m->objects);
    leave(m);
}

/* Nanoseconds that all take for that number of turns each; negative: they cannot be started. */
static double meet(struct meeting *m, uint64_t turns, struct tally *did)
{
    static void (*const bodies[])(unsigned, void *) = {
        [SEMAPHORE] = at_semaphores,
        [EVENT] = at_events,
        [AUTOMATIC_EVENT] = at_events,
        [BARRIER] = at_barrier,
    };
    struct tally before;
    char limit[160];

    m->turns = turns;
    m->busy = m->test->parties;
    struct worker_group *c =
        workers_start(m->test->parties, WORKER_THREADS, bodies[m->test->object], m);
    if (c == NULL) {
        int error = errno;
        limits_describe(false, limit, sizeof limit);
        bench_warn("cannot start %u threads: %s; %s", m->test->parties, strerror(error), limit);
        return -1;
    }
    tally_read(&before);
    uint64_t began = clock_ns();
    workers_go(c);
    workers_join(c);
    *did = tally_since(&before);
    return (double)(m->ended - began);
}

/* The semaphore or event that a player of the last meeting was given and did not wait for. */
static void clear(struct meeting *m)
{
    if (m->test->object == SEMAPHORE) {
        const struct sem_adapter *l = (const void *)m->lock;
        l->wait(sem_adapter_at(l, m->objects, 0));
    } else if (m->test->object != BARRIER) {
        const struct event_adapter *l = (const void *)m->lock;
        l->reset(event_adapter_at(l, m->objects, 0));
    }
}

static bool together(struct meeting *m, struct bench_entry *entry, struct bench_run *out)
{
    uint64_t turns = FIRST_TURNS;
    struct tally did;
    double took;

    while ((took = meet(m, turns, &did)) >= 0 && took < SHARED_NS / 8.0) {
        clear(m);
        turns *= 2;
    }
    if (took < 0)
        return false;
    clear(m);
    turns = (uint64_t)((double)turns * SHARED_NS / took) + 1;
    took = meet(m, turns, &did);
    if (took < 0)
        return false;
    /* A turn of the two players is two hand-offs. */
    double units = (double)turns * (m->test->how == HAND_OFF ? 2 : 1);
    tally_share(&did, units, entry, out);
    out->seconds = took / units / NS_PER_S;
    return true;
}

/* --- Both ------------------------------------------------------------------------------------ */

static void *make(const struct test *t, const adapter_head *lock)
{
    void *objects = adapter_head_make(lock, t->how == HAND_OFF ? t->parties : 1, false);
    const struct barrier_adapter *l = (const void *)lock;

    if (objects == NULL || t->object != BARRIER || t->parties == 1)
        return objects;
    if (lock->destroy != NULL)
        lock->destroy(objects);
    memset(objects, 0, lock->size);
    errno = l->init_for(objects, false, t->parties);
    return errno == 0 ? objects : NULL;
}

bool test_run(struct bench_point *point, struct bench_entry *entry, struct bench_run *out)
{
    const struct test *t = point->detail;
    struct meeting m = {.lock = entry->lock, .test = t, .objects = make(t, entry->lock)};
    bool good = true;

    if (m.objects == NULL) {
        bench_warn("cannot make a %s: %s", entry->lock->name, strerror(errno));
        return false;
    }
    if (t->how == ALONE)
        *out = (struct bench_run){.seconds = alone(t, entry->lock, m.objects) / NS_PER_S};
    else
        good = together(&m, entry, out);
    adapter_head_unmake(entry->lock, m.objects, t->how == HAND_OFF ? t->parties : 1);
    return good;
}
