/* SPDX-License-Identifier: MIT */
/*
 * Processes that have the same objects at different addresses, and do all operations on them at
 * once: nothing is torn, nothing is counted twice or not at all, nothing is lost.
 */
#include "fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Sizes and offsets for which a lock is needed; some share a cache line, some a word. */
static const struct {
    size_t offset, n;
} objects[] = {{0, 24}, {24, 32}, {67, 17}, {111, 10}, {127, 7}, {136, 40}, {192, 64}, {263, 201}};

enum { N_OBJECTS = sizeof objects / sizeof objects[0], ROW = 512, THREADS = 2 };

/* Rows of objects in the region: each row has all the objects, for one kind of use. */
enum { COUNTED = 0, PASSED = ROW, STORED = 2 * ROW, ALL_ROWS = 3 * ROW };

static unsigned rounds;
static unsigned processes;

struct worker {
    struct mapping mapping;
    uint64_t random;
    uint64_t passed[N_OBJECTS]; /* what it has drawn last */
};

static uint64_t mask(unsigned i)
{
    return objects[i].n < 8 ? (UINT64_C(1) << 8 * objects[i].n) - 1 : ~UINT64_C(0);
}

static void count(const struct worker *w, unsigned i)
{
    void *object = at(&w->mapping, COUNTED + objects[i].offset);
    uint64_t now = load_stamp(object, objects[i].n);

    while (!change_stamp(object, objects[i].n, &now, now + 1))
        continue;
}

static void work(struct worker *w)
{
    uint64_t last[N_OBJECTS] = {0};

    for (unsigned round = 0; round < rounds; round++) {
        unsigned i = (unsigned)(draw(&w->random) % N_OBJECTS);
        void *stored = at(&w->mapping, STORED + objects[i].offset);
        uint64_t now;

        count(w, i);
        w->passed[i] =
            exchange_stamp(at(&w->mapping, PASSED + objects[i].offset), objects[i].n, w->passed[i]);
        now = load_stamp(at(&w->mapping, COUNTED + objects[i].offset), objects[i].n);
        CHECK(now > last[i]); /* it has counted itself, and nobody counts back */
        last[i] = now;
        if (round % 4 == 0)
            store_stamp(stored, objects[i].n, draw(&w->random));
        load_stamp(stored, objects[i].n);
    }
}

/* Puts what a worker has left on the pile: the sum of what is passed around stays. */
static uint64_t *pile;

static void *thread_of(void *arg)
{
    struct worker w = *(struct worker *)arg;

    w.random ^= (uintptr_t)&w;
    for (unsigned i = 0; i < N_OBJECTS; i++)
        w.passed[i] = draw(&w.random) & mask(i);
    for (unsigned i = 0; i < N_OBJECTS; i++)
        __atomic_fetch_add(&pile[i], w.passed[i], __ATOMIC_RELAXED);
    work(&w);
    for (unsigned i = 0; i < N_OBJECTS; i++)
        __atomic_fetch_sub(&pile[i], w.passed[i], __ATOMIC_RELAXED);
    return NULL;
}

static void process(void *arg)
{
    struct worker w = {.mapping = *(struct mapping *)arg, .random = (uint64_t)(uintptr_t)&pile};
    pthread_t threads[THREADS];

    w.random ^= (uint64_t)getpid() << 32;
    mapping_move(&w.mapping);
    for (unsigned i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, thread_of, &w) == 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    mapping_close(&w.mapping);
}

int main(int argc, char **argv)
{
    struct mapping g = mapping_new(ALL_ROWS, 256);
    pid_t children[16];
    uint64_t total = 0;

    rounds = argc > 1 ? (unsigned)atoi(argv[1]) : is_constrained ? 3000 : 30000;
    processes = 3;
    limit(100, "sharing");
    pile = share(N_OBJECTS * sizeof *pile);
    for (unsigned i = 0; i < processes; i++)
        children[i] = start(process, &g);
    for (unsigned i = 0; i < processes; i++)
        finish(children[i]);
    for (unsigned i = 0; i < N_OBJECTS; i++) {
        total += load_stamp(at(&g, COUNTED + objects[i].offset), objects[i].n);
        CHECK(((pile[i] - load_stamp(at(&g, PASSED + objects[i].offset), objects[i].n)) &
               mask(i)) == 0);
    }
    CHECK(total == (uint64_t)processes * THREADS * rounds);
    mapping_close(&g);
    printf("%u processes counted to %llu\n", processes, (unsigned long long)total);
    return EXIT_SUCCESS;
}
