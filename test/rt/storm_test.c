/* SPDX-License-Identifier: MIT */
/*
 * Tasks of several processes take locks at random, under each protocol of tier A, while the
 * processes are killed at random and others come in their place.  No two are ever in one section;
 * a task that finds something half changed has been told of a death; and all come to an end.
 *
 *     test_rt_storm [PROTOCOL [SEED]]
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tasks.h"

enum { PROCESSES = 3, THREADS = 2, LOCKS = 3, KILLS = 60, LEAST_ROUNDS = 2000 };

static fw_rt_group *group;
static uint64_t seed;

static struct shared {
    bool is_over;
    uint32_t inside[LOCKS]; /* who is in the section, for the test */
    uint64_t a[LOCKS], b[LOCKS];
    uint64_t rounds, deaths, contended;
} * here;

struct player {
    unsigned process, thread;
    uint64_t random;
    fw_rt_task *task;
    pthread_t id;
};

static bool may_nest(void)
{
    return protocol < FW_RT_MPCP;
}

static void enter(struct player *p, unsigned lock, int error)
{
    uint32_t before = __atomic_exchange_n(&here->inside[lock], p->task->tid, __ATOMIC_SEQ_CST);

    if (error != 0 && error != EOWNERDEAD)
        fail("%s: lock: %s (%s)", doing, strerror(error), fw_rt_strerror());
    if (error == EOWNERDEAD) {
        here->b[lock] = here->a[lock];
        __atomic_fetch_add(&here->deaths, 1, __ATOMIC_RELAXED);
    } else if (before != 0) {
        fail("%s: %u and %u are both in section %u", doing, before, p->task->tid, lock);
    }
    if (here->a[lock] != here->b[lock])
        fail("%s: half changed, and nobody was told", doing);
    here->a[lock]++;
}

static void leave(struct player *p, unsigned lock)
{
    int error;

    here->b[lock]++;
    if (__atomic_exchange_n(&here->inside[lock], 0, __ATOMIC_SEQ_CST) != p->task->tid)
        fail("%s: somebody else was in section %u", doing, lock);
    error = fw_rt_unlock(p->task, lock);
    if (error != 0)
        fail("%s: unlock: %s (%s)", doing, strerror(error), fw_rt_strerror());
}

/* Some time in a section: mostly next to none, at times asleep. */
static void dwell(struct player *p)
{
    unsigned long n = draw(&p->random) % 64;

    if (n < 8) {
        usleep(100);
    } else {
        for (n *= 8; n > 0; n--)
            __asm__ volatile("" : : : "memory");
    }
}

static void play_round(struct player *p)
{
    unsigned lock = draw(&p->random) % LOCKS, inner = LOCKS;
    int error;

    if (draw(&p->random) % 4 == 0) {
        error = fw_rt_trylock(p->task, lock);
        if (error == EBUSY) {
            __atomic_fetch_add(&here->contended, 1, __ATOMIC_RELAXED);
            return;
        }
    } else {
        error = fw_rt_lock(p->task, lock);
    }
    enter(p, lock, error);
    dwell(p);
    if (may_nest() && lock + 1 < LOCKS && draw(&p->random) % 4 == 0) {
        inner = lock + 1;
        enter(p, inner, fw_rt_lock(p->task, inner));
        dwell(p);
        leave(p, inner);
    }
    leave(p, lock);
    __atomic_fetch_add(&here->rounds, 1, __ATOMIC_RELAXED);
}

static void begin(struct player *p)
{
    unsigned number = p->process * THREADS + p->thread;
    int cpu = cpus[may_nest() ? 0 : number % 2];

    p->task = begin_task(group, NULL, cpu, 5 + 3 * (int)number, "abc");
}

static void *play(void *arg)
{
    struct player *p = arg;

    begin(p);
    while (!__atomic_load_n(&here->is_over, __ATOMIC_RELAXED)) {
        play_round(p);
        usleep(draw(&p->random) % 128); /* others need the CPU as well */
        CHECK(fw_rt_resumed(p->task) == 0);
    }
    CHECK(fw_rt_task_end(p->task) == 0);
    return NULL;
}

static void be_process(void *arg)
{
    const unsigned *number = arg;
    struct player players[THREADS];

    for (unsigned i = 0; i < THREADS; i++) {
        players[i] = (struct player){.process = *number, .thread = i, .random = draw(&seed)};
        CHECK(pthread_create(&players[i].id, NULL, play, &players[i]) == 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        CHECK(pthread_join(players[i].id, NULL) == 0);
}

static pid_t come(unsigned number)
{
    draw(&seed);
    return start(be_process, &number);
}

static void expect_peace(void)
{
    struct player last = {.random = 1};

    begin(&last);
    for (unsigned i = 0; i < LOCKS; i++) {
        const struct fw_rt_lock_record *l = &group->state->lock[i];
        enter(&last, i, fw_rt_lock(last.task, i));
        leave(&last, i);
        CHECK(fw_rt_trylock(last.task, i) == 0 && fw_rt_unlock(last.task, i) == 0);
        CHECK(l->counter == 0 && (protocol != FW_RT_PIP || l->pi_word == 0));
    }
    CHECK(fw_rt_task_end(last.task) == 0);
}

static const char *what_is_done(const char *who)
{
    static char what[60];

    snprintf(what, sizeof what, "%s, seed %llu", who, (unsigned long long)seed);
    return what;
}

/* Threads of one process, in a group of its own: nobody dies, and releases may be plain. */
static void rage_alone(void)
{
    struct player players[PROCESSES * THREADS];

    memset(here, 0, sizeof *here);
    group = open_group_for(NULL, what_is_done("threads"));
    for (unsigned i = 0; i < PROCESSES * THREADS; i++) {
        players[i] =
            (struct player){.process = i / THREADS, .thread = i % THREADS, .random = draw(&seed)};
        CHECK(pthread_create(&players[i].id, NULL, play, &players[i]) == 0);
    }
    while (__atomic_load_n(&here->rounds, __ATOMIC_RELAXED) < LEAST_ROUNDS)
        usleep(500);
    __atomic_store_n(&here->is_over, true, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < PROCESSES * THREADS; i++)
        CHECK(pthread_join(players[i].id, NULL) == 0);
    expect_peace();
    CHECK(here->deaths == 0);
    CHECK(fw_rt_group_close(group) == 0);
}

static void rage(void)
{
    pid_t process[PROCESSES];
    unsigned kills;

    memset(here, 0, sizeof *here);
    group = open_shared_group_for(what_is_done("processes"));
    for (unsigned i = 0; i < PROCESSES; i++)
        process[i] = come(i);
    for (kills = 0; kills < KILLS; kills++) {
        unsigned victim = draw(&seed) % PROCESSES;
        uint64_t rounds = __atomic_load_n(&here->rounds, __ATOMIC_RELAXED);
        usleep(500 + draw(&seed) % 1024);
        while (__atomic_load_n(&here->rounds, __ATOMIC_RELAXED) == rounds)
            usleep(100); /* the others go on */
        kill_and_wait(process[victim]);
        process[victim] = come(victim);
    }
    while (__atomic_load_n(&here->rounds, __ATOMIC_RELAXED) < LEAST_ROUNDS)
        usleep(500);
    __atomic_store_n(&here->is_over, true, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < PROCESSES; i++)
        finish(process[i]);
    expect_peace();
    printf("%s: %llu sections, %llu after a death, %llu refused\n", doing,
           (unsigned long long)here->rounds, (unsigned long long)here->deaths,
           (unsigned long long)here->contended);
    CHECK(fw_rt_group_close(group) == 0);
}

static void play_both(void)
{
    rage();
    rage_alone();
}

int main(int argc, char **argv)
{
    choose_cpus();
    become_director();
    here = share(sizeof *here);
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : now_ns() | 1;
    under_each_protocol(argc > 1 ? argv[1] : NULL, play_both);
    return 0;
}
