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
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "library.h"
#include "test/support/robust_lists.h"

enum { PROCESSES = 4, ROUNDS = 1500, PATIENCE_S = 300 };

static struct shared {
    pthread_mutex_t mutex;
    volatile long count, inside; /* guarded by the mutex */
    long got[PROCESSES];
} * s;

static void check(int error, const char *what)
{
    if (error != 0)
        fail("%s: %s", what, strerrorname_np(error));
}

/* By one of four ways; after so long, it hangs. */
static int take(const struct library *l, unsigned *seed)
{
    struct timespec at;
    int error;

    switch (rand_r(seed) % 4) {
    case 0:
        error = l->trylock(&s->mutex);
        if (error != EBUSY)
            return error;
        /* fall through */
    case 1:
        at = in_seconds(CLOCK_REALTIME, PATIENCE_S);
        return l->timedlock(&s->mutex, &at);
    case 2:
        at = in_seconds(CLOCK_MONOTONIC, PATIENCE_S);
        return l->clocklock(&s->mutex, CLOCK_MONOTONIC, &at);
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

static pid_t start(int me, long rounds)
{
    pid_t child = fork();

    if (child == 0) {
        alarm(2 * PATIENCE_S);
        count_rounds(me % 2 == 0 ? &ours : &libcs, me, rounds);
        _exit(0);
    }
    return child;
}

/* Made by either library; the caller gives back what the kind cannot have. */
static void make(const struct kind *k, const struct library *by)
{
    pthread_mutexattr_t a;

    memset(s, 0, sizeof *s);
    kind_attributes(k, &a);
    check(by->init(&s->mutex, &a), "init");
}

static void end_well(pid_t child, const struct kind *k)
{
    char name[KIND_NAME];
    int status;

    if (waitpid(child, &status, 0) != child || status != 0)
        fail("%s: a process ended with status %x", kind_name(k, name), (unsigned)status);
}

static void count_together(const struct kind *k)
{
    pid_t children[PROCESSES];
    char name[KIND_NAME];

    make(k, k->type % 2 == 0 ? &ours : &libcs);
    for (int i = 0; i < PROCESSES; i++)
        children[i] = start(i, ROUNDS);
    for (int i = 0; i < PROCESSES; i++)
        end_well(children[i], k);
    if (s->count != (long)PROCESSES * ROUNDS)
        fail("%s: counted %ld", kind_name(k, name), s->count);
}

static void kill_one(pid_t *child)
{
    int status;

    kill(*child, SIGKILL);
    waitpid(*child, &status, 0);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        fail("a process ended with status %x before it was killed", (unsigned)status);
}

/* Everybody gets on between two deaths. */
static void die_in_turn(const struct kind *k, int deaths)
{
    pid_t children[PROCESSES];
    unsigned seed = 1;

    make(k, &ours);
    for (int i = 0; i < PROCESSES; i++)
        children[i] = start(i, 1L << 40);
    for (int n = 0; n < deaths; n++) {
        int victim = (int)(rand_r(&seed) % PROCESSES);
        usleep(rand_r(&seed) % 2000);
        kill_one(&children[victim]);
        children[victim] = start(victim, 1L << 40);
    }
    for (int i = 0; i < PROCESSES; i++)
        for (long before = s->got[i]; s->got[i] == before;)
            usleep(100);
    for (int i = 0; i < PROCESSES; i++)
        kill_one(&children[i]);
    count_rounds(&ours, 0, 1);
}

int main(int argc, char **argv)
{
    bool kills = argc > 1 && strcmp(argv[1], "kill") == 0;
    int deaths = argc > 2 ? atoi(argv[2]) : 60;
    struct kind k = {-1, 0, 0, 0};

    s = shared_memory(sizeof *s);
    if (kills)
        need_robust_lists();
    while (kind_next(&k)) {
        if (!k.shared || (kills && !k.robust) || k.protocol == PTHREAD_PRIO_PROTECT)
            continue;
        if (kills)
            die_in_turn(&k, deaths);
        else
            count_together(&k);
    }
    return 0;
}
