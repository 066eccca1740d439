/* SPDX-License-Identifier: MIT */
/*
 * Processes of several threads work on shared objects, and are killed at random moments, again and
 * again; others replace them.  No object is ever torn, the survivors go on, and each has
 * counted what it says that it has, give or take the one operation in which it died.
 */
#include "fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS = 3, THREADS = 2, OBJECTS = 3, N = 168, STRIDE = 192 };

/* What the workers say, beside the objects. */
struct words {
    uint64_t counted[SLOTS][THREADS][OBJECTS];
};

static struct mapping mapping;
static struct words *words;

struct worker {
    struct mapping mapping;
    unsigned slot, index;
};

static void *work(void *arg)
{
    const struct worker *w = arg;
    uint64_t random = (uint64_t)getpid() << 8 | w->index | 1;

    for (;;) {
        unsigned i = (unsigned)(draw(&random) % OBJECTS);
        void *counter = at(&w->mapping, i * STRIDE);
        void *stored = at(&w->mapping, (OBJECTS + i) * STRIDE + 3);
        uint64_t now = load_stamp(counter, N);

        while (!change_stamp(counter, N, &now, now + 1))
            continue;
        words->counted[w->slot][w->index][i]++; /* nobody else writes there */
        store_stamp(stored, N, draw(&random));
        exchange_stamp(stored, N, draw(&random));
        load_stamp(stored, N);
    }
    return NULL;
}

static void process(void *arg)
{
    struct mapping mine = mapping;
    struct worker workers[THREADS];
    pthread_t thread;

    mapping_move(&mine);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.mapping = mine, .slot = *(unsigned *)arg, .index = i};
        if (i != 0)
            CHECK(pthread_create(&thread, NULL, work, &workers[i]) == 0);
    }
    work(&workers[0]);
}

/* The survivor's view: all can be read and used, and nothing has been lost. */
static void check(uint64_t killed)
{
    uint64_t random = killed + 1;

    for (unsigned i = 0; i < OBJECTS; i++) {
        uint64_t said = 0, counted;

        for (unsigned s = 0; s < SLOTS; s++)
            for (unsigned t = 0; t < THREADS; t++)
                said += __atomic_load_n(&words->counted[s][t][i], __ATOMIC_RELAXED);
        counted = load_stamp(at(&mapping, i * STRIDE), N);
        if (counted < said)
            fail("%llu were counted, and only %llu are there", (unsigned long long)said,
                 (unsigned long long)counted);
        exchange_stamp(at(&mapping, (OBJECTS + i) * STRIDE + 3), N, draw(&random));
    }
}

int main(int argc, char **argv)
{
    unsigned kills = argc > 1 ? (unsigned)atoi(argv[1]) : is_constrained ? 40 : 150;
    unsigned slots[SLOTS] = {0, 1, 2};
    pid_t children[SLOTS];
    uint64_t random = (uint64_t)getpid() << 16 | 1;
    uint64_t said = 0, counted = 0;

    limit(kills > 1000 ? 3600 : 100, "the storm");
    mapping = mapping_new(2 * OBJECTS * STRIDE, N);
    words = share(sizeof *words);
    for (unsigned s = 0; s < SLOTS; s++)
        children[s] = start(process, &slots[s]);
    for (unsigned k = 0; k < kills; k++) {
        unsigned s = (unsigned)(draw(&random) % SLOTS);

        usleep((useconds_t)(draw(&random) % 1500));
        kill_and_wait(children[s]);
        check(k);
        children[s] = start(process, &slots[s]);
    }
    for (unsigned s = 0; s < SLOTS; s++)
        kill_and_wait(children[s]);
    for (unsigned i = 0; i < OBJECTS; i++)
        counted += load_stamp(at(&mapping, i * STRIDE), N);
    for (unsigned i = 0; i < SLOTS * THREADS * OBJECTS; i++)
        said += (&words->counted[0][0][0])[i];
    if (counted < said || counted > said + (uint64_t)(kills + SLOTS) * THREADS)
        fail("%llu said, %llu counted", (unsigned long long)said, (unsigned long long)counted);
    printf("%u processes killed, %llu operations counted, %llu by the dead\n", kills + SLOTS,
           (unsigned long long)counted, (unsigned long long)(counted - said));
    return EXIT_SUCCESS;
}
