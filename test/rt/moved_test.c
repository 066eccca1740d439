/* SPDX-License-Identifier: MIT */
/*
 * Tasks that others have moved from their CPU, in tier A.  A task that leaves a section elsewhere
 * may not see that somebody has come for it, and then a proxy bears its id.  It gives that back at
 * its next unlock, of whatever lock, and at its end; so nobody waits there for a section that is
 * over.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>

#include "rt/internal.h"
#include "test/rt/scenario.h"

enum { ROUNDS = 3000, MOST_STEPS = 300, SPINS_STEP = 200, A_PROXY = 3, LOW = 5, HIGH = 20 };

static fw_rt_group *group;
static sem_t is_begun, is_over;
static uint64_t longest_ns;

static fw_rt_task *begin(int priority, unsigned *a, unsigned *b)
{
    struct fw_rt_task_options options = {.cpu = cpus[0], .priority = priority};
    fw_rt_task *task;

    EXPECT(fw_rt_task_begin(&task, group, &options), 0);
    EXPECT(fw_rt_open(task, "a", FW_RT_PCP_DU, HIGH, a), 0);
    EXPECT(fw_rt_open(task, "b", FW_RT_PCP_DU, HIGH, b), 0);
    return task;
}

/* As a waiter leaves it that has seen the section, and came to the proxy when that was over. */
static uint32_t *leave_a_proxy(fw_rt_task *task, unsigned lock, bool has_slept)
{
    uint32_t *proxy = &task->state->proxy[A_PROXY];

    task->record->unlock_call = 1;
    task->record->at[lock] = A_PROXY + 1;
    *proxy = task->tid | (has_slept ? FUTEX_WAITERS : 0);
    return proxy;
}

static void proxies_are_given_back(void)
{
    EXPECT(fw_rt_group_open(&group, NULL, FW_RT_TIER_A), 0);
    for (int has_slept = 0; has_slept < 2; has_slept++) {
        unsigned a, b;
        fw_rt_task *task = begin(LOW, &a, &b);
        uint32_t *proxy = leave_a_proxy(task, a, has_slept);

        EXPECT(fw_rt_lock(task, b), 0);
        EXPECT(fw_rt_unlock(task, b), 0);
        CHECK(*proxy == 0 && task->record->at[a] == 0 && task->record->unlock_call == 0);
        proxy = leave_a_proxy(task, a, has_slept);
        EXPECT(fw_rt_lock(task, a), 0); /* again in that section: it still leads to the proxy */
        EXPECT(fw_rt_lock(task, b), 0);
        EXPECT(fw_rt_unlock(task, b), 0);
        CHECK(*proxy != 0 && task->record->unlock_call == 1);
        EXPECT(fw_rt_unlock(task, a), 0);
        CHECK(*proxy == 0 && task->record->unlock_call == 0);
        proxy = leave_a_proxy(task, a, has_slept);
        EXPECT(fw_rt_task_end(task), 0);
        CHECK(*proxy == 0);
    }
    EXPECT(fw_rt_group_close(group), 0);
}

/* --- For real ------------------------------------------------------------------------------- */

static void *come_for_it(void *unused)
{
    unsigned a, b;
    fw_rt_task *task = begin(HIGH, &a, &b);

    for (unsigned round = 1; round <= ROUNDS; round++) {
        while (sem_wait(&is_begun) != 0)
            ;
        EXPECT(fw_rt_lock(task, a), 0);
        EXPECT(fw_rt_unlock(task, a), 0);
        sem_post(&is_over);
    }
    longest_ns = task->record->worst;
    EXPECT(fw_rt_task_end(task), 0);
    return unused;
}

static void leave_elsewhere(fw_rt_task *task, unsigned round, unsigned a)
{
    move_to(cpus[0]);
    EXPECT(fw_rt_lock(task, a), 0);
    move_to(cpus[1]);
    sem_post(&is_begun);
    for (unsigned i = SPINS_STEP * (round % MOST_STEPS); i > 0; i--)
        __asm__ volatile("" : : : "memory"); /* until about when the other one comes */
    EXPECT(fw_rt_unlock(task, a), 0);
    while (sem_wait(&is_over) != 0)
        ;
}

static void sections_are_left_elsewhere(void)
{
    pthread_t other;
    unsigned a, b;
    fw_rt_task *task;

    CHECK(sem_init(&is_begun, 0, 0) == 0 && sem_init(&is_over, 0, 0) == 0);
    EXPECT(fw_rt_group_open(&group, NULL, FW_RT_TIER_A), 0);
    task = begin(LOW, &a, &b);
    CHECK(pthread_create(&other, NULL, come_for_it, NULL) == 0);
    for (unsigned round = 1; round <= ROUNDS; round++)
        leave_elsewhere(task, round, a);
    CHECK(pthread_join(other, NULL) == 0);
    EXPECT(fw_rt_task_end(task), 0);
    for (unsigned g = 0; g < FW_RT_PROXIES; g++)
        CHECK(group->state->proxy[g] == 0);
    EXPECT(fw_rt_group_close(group), 0);
    printf("%d sections left elsewhere, the longest wait %.3f ms\n", ROUNDS,
           (double)longest_ns / 1e6);
}

int main(void)
{
    scenario_begin();
    proxies_are_given_back();
    if (has_two_cpus())
        sections_are_left_elsewhere();
    return 0;
}
