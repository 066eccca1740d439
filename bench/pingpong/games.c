/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "cond_adapter.h"
#include "crew.h"
#include "pingpong.h"
#include "task_limits.h"

enum { LINE_PAIR = 128, NS_PER_S = 1000000000 };

/* Two players, one mutex and one condition variable: only one of the two ever waits on it. */
struct game {
    alignas(LINE_PAIR) void *object;
    unsigned ball; /* whose turn it is: 0 or 1 */
};

struct hall {
    const struct cond_adapter *lock;
    const struct match *match;
    struct game *games;
    void *objects;
    alignas(LINE_PAIR) unsigned playing;
    uint64_t ended;
};

static void player(unsigned index, void *hall)
{
    struct hall *h = hall;
    const struct cond_adapter *l = h->lock;
    struct game *g = &h->games[index / 2];
    void *object = g->object;
    unsigned me = index % 2;

    l->lock(object);
    for (unsigned i = 0; i < h->match->iterations; i++) {
        while (g->ball != me)
            l->wait(object);
        g->ball = !me;
        l->signal(object);
    }
    l->unlock(object);
    if (__atomic_sub_fetch(&h->playing, 1, __ATOMIC_ACQ_REL) == 0)
        h->ended = clock_ns();
}

static void play(struct hall *h, struct crew *crew, double passes, struct bench_entry *entry,
                 struct bench_run *out)
{
    struct tally before;

    tally_read(&before);
    uint64_t began = clock_ns();
    crew_go(crew);
    crew_join(crew);
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
        bench_complain("cannot make %u of %s: %s", n, h->lock->name, strerror(errno));
        free(h->games);
        return false;
    }
    for (unsigned i = 0; i < n; i++)
        h->games[i] = (struct game){.object = cond_adapter_at(h->lock, h->objects, i)};
    return true;
}

bool match_run(struct bench_place *place, struct bench_entry *entry, struct bench_run *out)
{
    const struct match *m = place->detail;
    struct hall h = {.lock = (const void *)entry->lock, .match = m, .playing = 2 * m->games};
    char limit[160];

    if (!open_hall(&h))
        return false;
    struct crew *crew = crew_start(2 * m->games, CREW_THREADS, player, &h);
    int error = errno;
    if (crew != NULL) {
        play(&h, crew, place->pieces, entry, out);
    } else {
        limits_describe(false, limit, sizeof limit);
        bench_complain("cannot start %u threads: %s; %s", 2 * m->games, strerror(error), limit);
    }
    cond_adapter_unmake(h.lock, h.objects, m->games);
    free(h.games);
    return crew != NULL;
}
