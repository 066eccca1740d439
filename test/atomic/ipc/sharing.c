/* SPDX-License-Identifier: MIT */
/*
 * usage: sharing [KILLS]
 *
 * Processes of several threads have the same objects at different addresses, and do all operations
 * on them at once: nothing is torn, nothing is counted twice or not at all, nothing is lost.  Then
 * they are killed at random moments, again and again, and others replace them: the survivors go on,
 * and each has counted what it says that it has, give or take the one operation in which it died.
 */
#include "fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sizes and offsets for which a lock is needed; some share a cache line, some a word. */
static const struct {
    size_t offset, n;
} objects[] = {{0, 24}, {24, 32}, {67, 17}, {111, 10}, {127, 7}, {136, 40}, {192, 64}, {263, 201}};

enum { N_OBJECTS = sizeof objects / sizeof objects[0], ROW = 512, THREADS = 2, PROCESSES = 3 };

/* Rows of objects in the region: each row has all the objects, for one kind of use. */
enum { COUNTED = 0, PASSED = ROW, STORED = 2 * ROW, ALL_ROWS = 3 * ROW };

static struct mapping mapping; /* as this process has it */
static unsigned rounds;        /* of each thread; 0: without end */

/* What the workers say, beside the objects. */
static struct words {
    uint64_t counted[PROCESSES][THREADS][N_OBJECTS];
    uint64_t pile[N_OBJECTS]; /* the sum of what is passed around, which stays */
} * words;

struct worker {
    uint64_t *counted; /* nobody else writes there */
    uint64_t random;
    uint64_t passed[N_OBJECTS]; /* what it has drawn last */
    pthread_t thread;
};

static uint64_t mask(unsigned i)
{
    return objects[i].n < 8 ? (UINT64_C(1) << 8 * objects[i].n) - 1 : ~UINT64_C(0);
}

static void *object(size_t row, unsigned i)
{
    return at(&mapping, row + objects[i].offset);
}

static uint64_t count(struct worker *w, unsigned i)
{
    uint64_t now = load_stamp(object(COUNTED, i), objects[i].n);

    while (!change_stamp(object(COUNTED, i), objects[i].n, &now, now + 1))
        continue;
    w->counted[i]++;
    return load_stamp(object(COUNTED, i), objects[i].n);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    uint64_t last[N_OBJECTS] = {0};

    for (unsigned i = 0; i < N_OBJECTS; i++) {
        w->passed[i] = draw(&w->random) & mask(i);
        __atomic_fetch_add(&words->pile[i], w->passed[i], __ATOMIC_RELAXED);
    }
    for (unsigned round = 0; rounds == 0 || round < rounds; round++) {
        unsigned i = (unsigned)(draw(&w->random) % N_OBJECTS);
        uint64_t now = count(w, i);

        CHECK(now > last[i]); /* it has counted itself, and nobody counts back */
        last[i] = now;
        w->passed[i] = exchange_stamp(object(PASSED, i), objects[i].n, w->passed[i]);
        if (round % 4 == 0)
            store_stamp(object(STORED, i), objects[i].n, draw(&w->random));
        load_stamp(object(STORED, i), objects[i].n);
    }
    for (unsigned i = 0; i < N_OBJECTS; i++)
        __atomic_fetch_sub(&words->pile[i], w->passed[i], __ATOMIC_RELAXED);
    return NULL;
}

static void process(void *arg)
{
    unsigned slot = *(unsigned *)arg;
    struct worker workers[THREADS];

    mapping_move(&mapping);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.counted = words->counted[slot][i],
                                     .random = (uint64_t)getpid() << 8 | i | 4};
        CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    mapping_close(&mapping);
}

/* What was counted in an object, and what its users say about that. */
static uint64_t counted(unsigned i)
{
    return load_stamp(object(COUNTED, i), objects[i].n);
}

static uint64_t said(unsigned i)
{
    uint64_t sum = 0;

    for (unsigned s = 0; s < PROCESSES; s++)
        for (unsigned t = 0; t < THREADS; t++)
            sum += __atomic_load_n(&words->counted[s][t][i], __ATOMIC_RELAXED);
    return sum;
}

static unsigned slots[PROCESSES] = {0, 1, 2};
static pid_t children[PROCESSES];

static void start_all(void)
{
    for (unsigned s = 0; s < PROCESSES; s++)
        children[s] = start(process, &slots[s]);
}

static void share_them(void)
{
    uint64_t total = 0;

    rounds = is_constrained ? 3000 : 30000;
    start_all();
    for (unsigned s = 0; s < PROCESSES; s++)
        finish(children[s]);
    for (unsigned i = 0; i < N_OBJECTS; i++) {
        uint64_t passed = load_stamp(object(PASSED, i), objects[i].n);

        CHECK(((words->pile[i] - passed) & mask(i)) == 0);
        CHECK(counted(i) == said(i));
        total += counted(i);
    }
    CHECK(total == (uint64_t)PROCESSES * THREADS * rounds);
}

/* The survivor's view: all can be read and used, and nothing has been lost. */
static void check_among_deaths(uint64_t *random)
{
    for (unsigned i = 0; i < N_OBJECTS; i++) {
        uint64_t before = said(i);

        if (counted(i) < before)
            fail("%llu were counted, and fewer are there", (unsigned long long)before);
        exchange_stamp(object(PASSED, i), objects[i].n, draw(random));
        exchange_stamp(object(STORED, i), objects[i].n, draw(random));
    }
}

static void kill_them(unsigned kills)
{
    uint64_t random = (uint64_t)getpid() << 16 | 1, n_said = 0, n_counted = 0;

    rounds = 0;
    start_all();
    for (unsigned k = 0; k < kills; k++) {
        unsigned s = (unsigned)(draw(&random) % PROCESSES);

        usleep((useconds_t)(draw(&random) % 1500));
        kill_and_wait(children[s]);
        check_among_deaths(&random);
        children[s] = start(process, &slots[s]);
    }
    for (unsigned s = 0; s < PROCESSES; s++)
        kill_and_wait(children[s]);
    for (unsigned i = 0; i < N_OBJECTS; i++) {
        n_said += said(i);
        n_counted += counted(i);
    }
    if (n_counted < n_said || n_counted > n_said + (uint64_t)(kills + PROCESSES) * THREADS)
        fail("%llu said, %llu counted", (unsigned long long)n_said, (unsigned long long)n_counted);
    printf("%u processes killed, %llu operations counted, %llu by the dead\n", kills + PROCESSES,
           (unsigned long long)n_counted, (unsigned long long)(n_counted - n_said));
}

int main(int argc, char **argv)
{
    unsigned kills = argc > 1 ? (unsigned)atoi(argv[1]) : is_constrained || is_brief() ? 40 : 150;

    limit(kills > 1000 ? 3600 : 100, "sharing");
    mapping = mapping_new(ALL_ROWS, 256);
    words = share(sizeof *words);
    share_them();
    kill_them(kills);
    return EXIT_SUCCESS;
}
