/* SPDX-License-Identifier: MIT */
/*
 * Many tasks under all protocols at once, in a virtual machine: 64 threads, with sections in each
 * other in any order.  No lock has two owners, all go on, and nothing is left behind.  (Kills:
 * scx_deaths.c.)
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "scx.h"

enum { CPUS = 2, CEILINGS = 4, QUEUES = 3, ROUNDS = 60, LENGTH = 3000 };

/* Locks 0 to CEILINGS - 1 are of the task's CPU; the others of all. */
struct notes {
    uint32_t owner[CPUS * CEILINGS + QUEUES]; /* process or thread that is in the section */
    uint32_t rounds[FW_RT_TASKS];
    uint32_t violations;
};
static struct notes *notes;

static const enum fw_rt_kind kinds[CEILINGS + QUEUES] = {
    FW_RT_KIND_PCP,  FW_RT_KIND_PCP,  FW_RT_KIND_PCP, FW_RT_KIND_IPCP,
    FW_RT_KIND_MPCP, FW_RT_KIND_MPCP, FW_RT_KIND_FMLP};

struct worker {
    struct scx_task task;
    unsigned cpu, d[CEILINGS + QUEUES], seed;
};

static uint32_t *owner_of(const struct worker *w, unsigned i)
{
    return &notes->owner[i < CEILINGS ? w->cpu * CEILINGS + i : CPUS * CEILINGS + i - CEILINGS];
}

static void begin(struct worker *w, uint64_t key, unsigned cpu, unsigned base)
{
    char name[2 + CPUS + 1];

    w->cpu = cpu;
    scx_join(&w->task, key, "storm", cpu, base);
    for (unsigned i = 0; i < CEILINGS + QUEUES; i++) {
        unsigned error;

        snprintf(name, sizeof name, i < CEILINGS ? "%c%u" : "%c", 'A' + i, cpu);
        error = scx_open(&w->task, name, kinds[i], 0, &w->d[i]);
        scx_check(error == 0, "open %s: %s", name, strerror((int)error));
    }
}

static void enter(struct worker *w, unsigned i)
{
    unsigned result = scx_lock(&w->task, kinds[i], w->d[i]);
    uint32_t before = __atomic_exchange_n(owner_of(w, i), (uint32_t)gettid(), __ATOMIC_SEQ_CST);

    if (result != 0 || before != 0)
        __atomic_fetch_add(&notes->violations, 1, __ATOMIC_RELAXED);
}

static void leave(struct worker *w, unsigned i)
{
    uint32_t own = (uint32_t)gettid();

    if (!__atomic_compare_exchange_n(owner_of(w, i), &own, 0, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST))
        __atomic_fetch_add(&notes->violations, 1, __ATOMIC_RELAXED);
    scx_unlock(&w->task, kinds[i], w->d[i]);
}

static void spin(unsigned n)
{
    for (volatile unsigned i = 0; i < n; i++)
        continue;
}

static void one_round(struct worker *w)
{
    unsigned i = (unsigned)rand_r(&w->seed) % (CEILINGS + QUEUES);
    unsigned inner = (unsigned)rand_r(&w->seed) % 3;

    enter(w, i);
    spin((unsigned)rand_r(&w->seed) % LENGTH);
    if (kinds[i] == FW_RT_KIND_PCP && inner != i) { /* nested, in either order */
        enter(w, inner);
        spin((unsigned)rand_r(&w->seed) % 1000);
        leave(w, inner);
    }
    leave(w, i);
    if (rand_r(&w->seed) % 4 == 0)
        nanosleep(&(struct timespec){.tv_nsec = rand_r(&w->seed) % 1000000}, NULL);
    __atomic_fetch_add(&notes->rounds[w->task.slot], 1, __ATOMIC_RELAXED);
}

/* ---- 64 tasks ---- */

static pthread_barrier_t all_there;

static void *one_of_many(void *number)
{
    unsigned n = (unsigned)(uintptr_t)number;
    struct worker w = {.seed = n + 1};

    begin(&w, 1, n % CPUS, 1 + n * 7 % 49);
    pthread_barrier_wait(&all_there);
    for (unsigned i = 0; i < ROUNDS; i++)
        one_round(&w);
    scx_leave(&w.task);
    return NULL;
}

static void test_many(void)
{
    pthread_t threads[FW_RT_TASKS];
    unsigned sum = 0;

    pthread_barrier_init(&all_there, NULL, FW_RT_TASKS);
    for (uintptr_t i = 0; i < FW_RT_TASKS; i++)
        threads[i] = scx_thread(one_of_many, i);
    for (unsigned i = 0; i < FW_RT_TASKS; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < FW_RT_TASKS; i++)
        sum += notes->rounds[i];
    scx_check(sum == FW_RT_TASKS * ROUNDS, "%u rounds", sum);
    scx_check(notes->violations == 0, "%u violations", notes->violations);
    scx_check(scx_is_clear(), "a task is left behind");
    printf("64 tasks: %u rounds each, no violation\n", (unsigned)ROUNDS);
}

int main(void)
{
    scx_need_vm();
    alarm(60);
    scx_start();
    notes = scx_shared_memory(sizeof *notes);
    test_many();
    printf("dispatches %llu, grants %llu, for lenders %llu, handed %llu, relief %llu\n",
           (unsigned long long)scx_state()->counts.dispatches,
           (unsigned long long)scx_state()->counts.grants,
           (unsigned long long)scx_state()->counts.donations,
           (unsigned long long)scx_state()->counts.handed,
           (unsigned long long)scx_state()->counts.relief);
    scx_stop();
    return 0;
}
