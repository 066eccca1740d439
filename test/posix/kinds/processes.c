/* SPDX-License-Identifier: MIT */
/*
 * Processes with this library and without it use the same mutexes.
 *
 *     test_kinds_processes count           they count together
 *     test_kinds_processes kill [DEATHS]   the same, and are killed one after the other
 *
 * For all kinds that are shared; in the second case, that are robust.
 */
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library.h"
#include "test/support/robust_lists.h"

enum { PROCESSES = 4, ROUNDS = 1500, DEATHS = 60, PATIENCE_S = 300 };
#define FOR_EVER (1L << 40)

static struct shared_mutex {
    pthread_mutex_t mutex;
    volatile long count, inside; /* guarded by the mutex */
    long got[PROCESSES], rounds;
} * s;

static void check(int error, const char *what)
{
    if (error != 0)
        fail("%s: %s", what, strerrorname_np(error));
}

/* By one of four ways; after that time, it hangs. */
static int take(const struct library *l, unsigned *seed)
{
    const int64_t patience_ns = PATIENCE_S * INT64_C(1000000000);
    fw_deadline until;
    int error;

    switch (rand_r(seed) % 4) {
    case 0:
        error = l->trylock(&s->mutex);
        if (error != EBUSY)
            return error;
        /* fall through */
    case 1:
        until = deadline_in(CLOCK_REALTIME, patience_ns);
        return l->timedlock(&s->mutex, &until.at);
    case 2:
        until = deadline_in(CLOCK_MONOTONIC, patience_ns);
        return l->clocklock(&s->mutex, CLOCK_MONOTONIC, &until.at);
    default:
        return l->lock(&s->mutex);
    }
}

/* In the critical section. */
static void count_one(int me, unsigned *seed)
{
    long seen = s->count;

    if (s->inside != 0)
        fail("two at once");
    s->inside = getpid();
    if (rand_r(seed) % 16 == 0)
        sched_yield();
    s->inside = 0;
    s->count = seen + 1;
    s->got[me]++;
}

static void count_rounds(const struct library *l, int me, long rounds)
{
    unsigned seed = (unsigned)me + 1;

    for (long i = 0; i < rounds; i++) {
        int error = take(l, &seed);
        if (error == EOWNERDEAD) {
            s->inside = 0;
            error = l->consistent(&s->mutex);
        }
        check(error, l->name);
        count_one(me, &seed);
        check(l->unlock(&s->mutex), "unlock");
    }
}

static void participate(void *number)
{
    int me = (int)(intptr_t)number;

    limit(2 * PATIENCE_S, "a mutex");
    count_rounds(me % 2 == 0 ? &ours : &libcs, me, s->rounds);
}

/* All begin, with a mutex that was made by either library. */
static void start_all(const struct kind *k, const struct library *by, long rounds, pid_t *children)
{
    pthread_mutexattr_t a;

    memset(s, 0, sizeof *s);
    s->rounds = rounds;
    kind_attributes(k, &a);
    check(by->init(&s->mutex, &a), "init");
    for (intptr_t i = 0; i < PROCESSES; i++)
        children[i] = start(participate, (void *)i);
}

static void count_together(const struct kind *k)
{
    pid_t children[PROCESSES];
    char name[KIND_NAME];

    start_all(k, k->type % 2 == 0 ? &ours : &libcs, ROUNDS, children);
    for (int i = 0; i < PROCESSES; i++)
        if (wait_for_child(children[i]) != 0)
            fail("%s: a process failed", kind_name(k, name));
    if (s->count != (long)PROCESSES * ROUNDS)
        fail("%s: counted %ld", kind_name(k, name), s->count);
}

/* Everybody gets on between two deaths. */
static void die_in_turn(const struct kind *k, int deaths)
{
    pid_t children[PROCESSES];
    unsigned seed = 1;

    start_all(k, &ours, FOR_EVER, children);
    for (int n = 0; n < deaths; n++) {
        int victim = (int)(rand_r(&seed) % PROCESSES);
        usleep(rand_r(&seed) % 2000);
        kill_and_wait(children[victim]);
        children[victim] = start(participate, (void *)(intptr_t)victim);
    }
    for (int i = 0; i < PROCESSES; i++)
        for (long before = s->got[i]; s->got[i] == before;)
            usleep(100);
    for (int i = 0; i < PROCESSES; i++)
        kill_and_wait(children[i]);
    count_rounds(&ours, 0, 1);
}

int main(int argc, char **argv)
{
    bool kills = argc > 1 && strcmp(argv[1], "kill") == 0;
    struct kind k = {-1, 0, 0, 0};

    s = share(sizeof *s);
    if (kills)
        need_robust_lists();
    while (kind_next(&k)) {
        if (!k.shared || (kills && !k.robust) || k.protocol == PTHREAD_PRIO_PROTECT)
            continue;
        if (kills)
            die_in_turn(&k, argc > 2 ? atoi(argv[2]) : DEATHS);
        else
            count_together(&k);
    }
    return 0;
}
