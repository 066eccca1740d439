/* SPDX-License-Identifier: MIT */
/*
 * Tasks are killed while the scheduler of tier B is there, in a virtual machine: in a section, in
 * front of one, anywhere; in processes whose parent does not look at once.  Each death in a section
 * is told to a task that comes next, and to nobody else where one dies at a time; no lock is lost,
 * and all others go on.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bpf/sched/loader.h"
#include "library.h"
#include "scx.h"

enum { CPUS = 2, LOCKS = 8, WORKERS = 8, KILLS = 40, ROUNDS = 10, DEAD_MARK = 1 << 30 };

#define GROUP "/furwock-test-deaths"
static const fw_rt_protocol protocols[LOCKS] = {FW_RT_PCP_DU,  FW_RT_PCP,      FW_RT_IPCP,
                                                FW_RT_MPCP_DU, FW_RT_MPCP,     FW_RT_FMLP,
                                                FW_RT_FMLP_DU, FW_RT_PCP_DU_PF};
static unsigned locks; /* PCP-DU-PF, the last of them, is not everywhere */

/* By lock; those with ceilings are of a CPU. */
struct notes {
    int32_t owner[CPUS * LOCKS]; /* process in the section */
    uint32_t told, unheard, sections, calm;
    uint32_t rounds[WORKERS];
};
static struct notes *notes;

struct worker {
    fw_rt_task *task;
    unsigned cpu, number, lock[LOCKS], seed;
};

static bool is_queue(unsigned i)
{
    return is_of_any_cpu(protocols[i]);
}

static int32_t *owner_of(const struct worker *w, unsigned i)
{
    return &notes->owner[is_queue(i) ? i : w->cpu * LOCKS + i];
}

static void begin(struct worker *w)
{
    struct fw_rt_task_options options = {.cpu = (int)w->cpu, .priority = 3 + (int)w->number};
    fw_rt_group *group;
    char name[16];

    CHECK_ZERO(fw_rt_group_open(&group, GROUP, FW_RT_TIER_B));
    CHECK_ZERO(fw_rt_task_begin(&w->task, group, &options));
    for (unsigned i = 0; i < locks; i++) {
        snprintf(name, sizeof name, "%u-%u", i, is_queue(i) ? 0 : w->cpu);
        CHECK_ZERO(fw_rt_open(w->task, name, protocols[i], 0, &w->lock[i]));
    }
}

/* The owner before is found dead by its mark only after it was reaped; so nobody is mistaken. */
static void check_death(int32_t before, int error)
{
    bool had_died = before != 0 && kill(before, 0) != 0;

    scx_check(before == 0 || error == EOWNERDEAD || had_died, "process %d is inside, too", before);
    if (error == EOWNERDEAD)
        __atomic_fetch_add(&notes->told, 1, __ATOMIC_SEQ_CST);
    if (before != 0 && error != EOWNERDEAD)
        __atomic_fetch_add(&notes->unheard, 1, __ATOMIC_SEQ_CST);
}

static void one_round(struct worker *w, bool is_calm)
{
    unsigned i = (unsigned)rand_r(&w->seed) % locks;
    bool try = !is_calm && rand_r(&w->seed) % 4 == 0;
    int error = try ? fw_rt_trylock(w->task, w->lock[i]) : fw_rt_lock(w->task, w->lock[i]);

    if (try && error == EBUSY)
        return;
    scx_check(error == 0 || error == EOWNERDEAD, "%s: %s (%s)", fw_rt_protocol_name(protocols[i]),
              strerror(error), fw_rt_strerror());
    check_death(__atomic_exchange_n(owner_of(w, i), getpid(), __ATOMIC_SEQ_CST), error);
    for (volatile unsigned k = (unsigned)rand_r(&w->seed) % 30000; k > 0; k--)
        continue;
    if (rand_r(&w->seed) % 4 == 0)
        scx_sleep_ms(1);
    __atomic_store_n(owner_of(w, i), 0, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&notes->sections, 1, __ATOMIC_RELAXED);
    CHECK_ZERO(fw_rt_unlock(w->task, w->lock[i]));
}

static pid_t hire(unsigned number, unsigned seed)
{
    pid_t child = fork();

    if (child == 0) {
        struct worker w = {.cpu = number % CPUS, .number = number, .seed = seed};

        alarm(250);
        begin(&w);
        while (notes->rounds[number] < ROUNDS * locks) {
            bool is_calm = __atomic_load_n(&notes->calm, __ATOMIC_ACQUIRE);

            one_round(&w, is_calm);
            notes->rounds[number] += is_calm;
            nanosleep(&(struct timespec){.tv_nsec = rand_r(&w.seed) % 1000000}, NULL);
        }
        CHECK_ZERO(fw_rt_task_end(w.task));
        _exit(EXIT_SUCCESS);
    }
    scx_check(child > 0, "no process");
    return child;
}

/* Zombies stay for a while: a death counts from when it happens. */
static void storm(unsigned seed)
{
    pid_t workers[WORKERS], zombie = 0;

    memset(notes, 0, sizeof *notes);
    for (unsigned i = 0; i < WORKERS; i++)
        workers[i] = hire(i, seed * 1000 + i);
    for (unsigned i = 0; i < KILLS; i++) {
        unsigned n = (unsigned)rand_r(&seed) % WORKERS;
        uint32_t before;

        nanosleep(&(struct timespec){.tv_nsec = rand_r(&seed) % 20000000}, NULL);
        kill(workers[n], SIGKILL);
        if (zombie != 0)
            waitpid(zombie, NULL, 0);
        zombie = workers[n];
        before = notes->sections;
        SCX_UNTIL(*(volatile uint32_t *)&notes->sections > before + 5); /* the others go on */
        workers[n] = hire(n, seed + i);
    }
    waitpid(zombie, NULL, 0);
    __atomic_store_n(&notes->calm, 1, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < WORKERS; i++)
        scx_finish(workers[i]);
    printf("seed: %u sections, %u deaths told; %u found by nobody\n", notes->sections, notes->told,
           notes->unheard);
    scx_check(notes->unheard == 0, "%u deaths in a section were told to nobody", notes->unheard);
    for (unsigned i = 0; i < CPUS * LOCKS; i++)
        scx_check(notes->owner[i] == 0, "lock %u is lost", i);
    SCX_UNTIL(scx_is_clear());
}

/* ---- A death at a time ---- */

static void until_step(int32_t step)
{
    while (__atomic_load_n(&notes->owner[0], __ATOMIC_ACQUIRE) != step)
        scx_sleep_ms(1);
}

static void step(int32_t step)
{
    __atomic_store_n(&notes->owner[0], step, __ATOMIC_RELEASE);
}

static void own_and_wait_for_death(unsigned i)
{
    struct worker w = {.cpu = 1, .number = 10};

    begin(&w);
    CHECK_ZERO(fw_rt_lock(w.task, w.lock[i]));
    step(1);
    for (;;)
        pause();
}

/* Before its parent takes note of the death, which may be never. */
static void one_death(unsigned i, bool waits, bool tries)
{
    struct worker w = {.cpu = 1, .number = 20};
    siginfo_t info;
    pid_t owner, killer = 0;
    int error;

    step(0);
    owner = fork();
    if (owner == 0)
        own_and_wait_for_death(i);
    begin(&w);
    until_step(1);
    if (waits) { /* it is killed when nobody except the dead can help */
        killer = fork();
        if (killer == 0) {
            scx_sleep_ms(50);
            kill(owner, SIGKILL);
            _exit(0);
        }
    } else {
        kill(owner, SIGKILL);
        waitid(P_PID, (id_t)owner, &info, WEXITED | WNOWAIT);
    }
    do { /* its end comes a moment after its parent is told, and needs the CPU */
        scx_sleep_ms(1);
        error = tries ? fw_rt_trylock(w.task, w.lock[i]) : fw_rt_lock(w.task, w.lock[i]);
    } while (error == EBUSY);
    scx_check(error == EOWNERDEAD, "%s: the next is told %s", fw_rt_protocol_name(protocols[i]),
              strerror(error));
    CHECK_ZERO(fw_rt_unlock(w.task, w.lock[i]));
    CHECK_ZERO(fw_rt_lock(w.task, w.lock[i])); /* one is told */
    CHECK_ZERO(fw_rt_unlock(w.task, w.lock[i]));
    CHECK_ZERO(fw_rt_task_end(w.task));
    if (killer != 0)
        waitpid(killer, NULL, 0);
    waitpid(owner, NULL, 0);
}

int main(int argc, char **argv)
{
    unsigned seeds = argc > 1 ? (unsigned)atoi(argv[1]) : 2;

    scx_need_vm();
    alarm(280);
    notes = scx_shared_memory(sizeof *notes);
    scx_start();
    locks = scx_state()->permits != 0 ? LOCKS : LOCKS - 1;
    for (unsigned i = 0; i < locks; i++) {
        for (unsigned how = 0; how < 3; how++) {
            printf("%s: %s\n", fw_rt_protocol_name(protocols[i]),
                   how == 0   ? "somebody waits"
                   : how == 1 ? "somebody comes"
                              : "somebody tries");
            pid_t child = fork(); /* as a task of its own; it ends with it */
            if (child == 0) {
                alarm(100);
                one_death(i, how == 0, how == 2);
                _exit(0);
            }
            scx_finish(child);
        }
    }
    for (unsigned seed = 1; seed <= seeds; seed++)
        storm(seed);
    scx_stop();
    return EXIT_SUCCESS;
}
