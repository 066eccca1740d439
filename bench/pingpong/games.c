/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <semaphore.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "bench/adapters/cond_adapter.h"
#include "bench/condperf/molnar.h"
#include "measure/clock.h"
#include "measure/task_limits.h"
#include "measure/workers.h"
#include "pingpong.h"

enum {
    LINE_PAIR = 128,
    PATIENCE_S = 10, /* a hall in which nobody has passed the ball for that long lacks a wake-up */
    RESCUES_MAX = 3, /* broadcasts in a row that try to mend that */
    NS_PER_S = 1000000000
};

/* Two players, one mutex and one condition variable: only one of the two ever waits on it. */
struct game {
    alignas(LINE_PAIR) void *object;
    unsigned ball; /* whose turn it is: 0 or 1 */
    uint64_t passes;
};

struct hall {
    const struct cond_adapter *lock;
    const struct match *match;
    struct game *games;
    void *objects;
    sem_t over;
    alignas(LINE_PAIR) unsigned playing;
    uint64_t ended;
};

static void play_game(const struct cond_adapter *l, struct game *g, unsigned me, unsigned n)
{
    void *object = g->object;

    l->lock(object);
    for (unsigned i = 0; i < n; i++) {
        while (g->ball != me)
            l->wait(object);
        g->ball = !me;
        __atomic_store_n(&g->passes, g->passes + 1, __ATOMIC_RELAXED);
        l->signal(object);
    }
    l->unlock(object);
}

struct turn {
    const struct game *game;
    unsigned me;
};

static bool is_here(void *turn)
{
    const struct turn *t = turn;

    return t->game->ball == t->me;
}

static void play_without_signals(const struct cond_adapter *l, struct game *g, unsigned me,
                                 unsigned n)
{
    void *object = g->object;
    struct turn mine = {g, me};

    l->lock(object);
    for (unsigned i = 0; i < n; i++) {
        l->await(object, is_here, &mine, NULL);
        g->ball = !me;
        __atomic_store_n(&g->passes, g->passes + 1, __ATOMIC_RELAXED);
    }
    l->unlock(object);
}

static void player(unsigned index, void *hall)
{
    struct hall *h = hall;
    const struct match *m = h->match;

    (m->await && h->lock->await != NULL ? play_without_signals : play_game)(
        h->lock, &h->games[index / 2], index % 2, m->iterations);
    if (__atomic_sub_fetch(&h->playing, 1, __ATOMIC_ACQ_REL) == 0) {
        h->ended = clock_ns();
        sem_post(&h->over);
    }
}

static bool wait_patiently(struct hall *h)
{
    struct timespec at = clock_in_ns((int64_t)PATIENCE_S * NS_PER_S);

    while (sem_clockwait(&h->over, CLOCK_MONOTONIC, &at) != 0)
        if (errno == ETIMEDOUT)
            return false;
    return true;
}

static uint64_t passes_so_far(const struct hall *h)
{
    uint64_t passes = 0;

    for (unsigned i = 0; i < h->match->games; i++)
        passes += __atomic_load_n(&h->games[i].passes, __ATOMIC_RELAXED);
    return passes;
}

static void broadcast_to_all(struct hall *h)
{
    for (unsigned i = 0; i < h->match->games; i++) {
        h->lock->lock(h->games[i].object);
        h->lock->broadcast(h->games[i].object);
        h->lock->unlock(h->games[i].object);
    }
}

/* Waits for the end.  A lock that loses a wake-up is helped on by a broadcast; that is counted. */
static void await_end(struct hall *h, struct bench_entry *e)
{
    uint64_t seen = 0;
    int rescues = 0;

    while (!wait_patiently(h)) {
        uint64_t now = passes_so_far(h);
        if (now != seen) {
            seen = now;
            rescues = 0;
            continue;
        }
        if (rescues++ == RESCUES_MAX) {
            bench_warn("%s: players stay asleep whatever is broadcast", e->lock->name);
            exit(1);
        }
        e->faults++;
        e->fault = "lost wake-ups";
        broadcast_to_all(h);
    }
}

static void play(struct hall *h, struct worker_group *group, double passes,
                 struct bench_entry *entry, struct bench_run *out)
{
    struct tally before;

    tally_read(&before);
    uint64_t began = clock_ns();
    workers_go(group);
    await_end(h, entry);
    workers_join(group);
    struct tally did = tally_since(&before);
    tally_share(&did, passes, entry, out);
    out->seconds = (double)(h->ended - began) / NS_PER_S;
}

static bool open_hall(struct hall *h)
{
    unsigned n = h->match->games;

    h->games = aligned_alloc(LINE_PAIR, n * sizeof *h->games);
    h->objects = h->games == NULL ? NULL : cond_adapter_make(h->lock, n, false);
    if (h->objects == NULL) {
        bench_warn("cannot make %u of %s: %s", n, h->lock->name, strerror(errno));
        free(h->games);
        return false;
    }
    for (unsigned i = 0; i < n; i++)
        h->games[i] = (struct game){.object = cond_adapter_at(h->lock, h->objects, i)};
    return true;
}

bool match_run(struct bench_point *point, struct bench_entry *entry, struct bench_run *out)
{
    const struct match *m = point->detail;
    struct hall h = {.lock = (const void *)entry->lock, .match = m, .playing = 2 * m->games};
    char limit[160];
    cpu_set_t before;

    if (!open_hall(&h))
        return false;
    sem_init(&h.over, 0, 0);
    molnar_confine(m->cpus, &before);
    struct worker_group *group = workers_start(2 * m->games, WORKER_THREADS, player, &h);
    int error = errno;
    if (group != NULL) {
        play(&h, group, point->pieces, entry, out);
    } else {
        limits_describe(false, limit, sizeof limit);
        bench_warn("cannot start %u threads: %s; %s", 2 * m->games, strerror(error), limit);
    }
    molnar_release(&before);
    sem_destroy(&h.over);
    cond_adapter_unmake(h.lock, h.objects, m->games);
    free(h.games);
    return group != NULL;
}
