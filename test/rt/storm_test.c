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

#include <furwock/ipc/region.h>

#include "processes.h"
#include "rt/internal.h"

enum { LONGEST_S = 60, PROCESSES = 3, THREADS = 2, LOCKS = 3, KILLS = 60, LEAST_ROUNDS = 2000 };

static fw_rt_group *group;
static fw_rt_protocol protocol;
static int cpus[2];
static uint64_t seed;
static char doing[100];

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
    struct fw_rt_task_options options = {.cpu = cpus[may_nest() ? 0 : number % 2],
                                         .priority = 5 + 3 * (int)number};
    int error = fw_rt_task_begin(&p->task, group, &options);

    if (error == EPERM)
        skip(fw_rt_strerror());
    for (unsigned i = 0; error == 0 && i < LOCKS; i++) {
        char name[2] = {(char)('a' + i), '\0'};
        unsigned lock;
        error = fw_rt_open(p->task, name, protocol, 0, &lock);
        CHECK(error != 0 || lock == i);
    }
    if (error != 0)
        fail("%s: begin: %s (%s)", doing, strerror(error), fw_rt_strerror());
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

/* Threads of one process, in a group of its own: nobody dies, and releases may be plain. */
static void rage_alone(void)
{
    struct player players[PROCESSES * THREADS];

    snprintf(doing, sizeof doing, "%s, threads, seed %llu", fw_rt_protocol_name(protocol),
             (unsigned long long)seed);
    limit(LONGEST_S, doing);
    memset(here, 0, sizeof *here);
    CHECK(fw_rt_group_open(&group, NULL, FW_RT_TIER_A) == 0);
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
    char name[64];

    snprintf(doing, sizeof doing, "%s, seed %llu", fw_rt_protocol_name(protocol),
             (unsigned long long)seed);
    limit(LONGEST_S, doing);
    memset(here, 0, sizeof *here);
    snprintf(name, sizeof name, "/furwock-rt-storm-%d", (int)getpid());
    CHECK(fw_rt_group_open(&group, name, FW_RT_TIER_A) == 0);
    fw_region_remove(name);
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

int main(int argc, char **argv)
{
    struct sched_param director = {.sched_priority = 99};
    cpu_set_t set;
    unsigned n = 0;

    CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
    for (int cpu = 0; cpu < CPU_SETSIZE && n < 2; cpu++)
        if (CPU_ISSET(cpu, &set))
            cpus[n++] = cpu;
    if (n == 1)
        cpus[1] = cpus[0];
    if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &director) != 0)
        skip("SCHED_FIFO is not permitted");
    here = share(sizeof *here);
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : now_ns() | 1;
    for (protocol = FW_RT_PIP; protocol <= FW_RT_FMLP_DU; protocol++)
        if (protocol != FW_RT_PCP_DU_PF &&
            (argc < 2 || strcmp(argv[1], fw_rt_protocol_name(protocol)) == 0)) {
            rage();
            rage_alone();
        }
    return 0;
}
