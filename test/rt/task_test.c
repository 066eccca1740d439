/* SPDX-License-Identifier: MIT */
/* Tasks come and go: what a thread was, is again; records, ceilings, and how many there may be. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rt/internal.h"
#include "test/rt/scenario.h"

enum { SKIPPED = 77 };

static fw_rt_group *group;
static pthread_barrier_t full, over;

static struct fw_rt_task_options options(int priority)
{
    return (struct fw_rt_task_options){.cpu = cpus[0], .priority = priority};
}

static void the_thread_is_what_it_was(void)
{
    struct fw_rt_task_options o = options(11);
    struct sched_param param;
    cpu_set_t before, during, after;
    fw_rt_task *task;

    CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
    EXPECT(fw_rt_task_begin(&task, group, &o), 0);
    CHECK(sched_getscheduler(0) == SCHED_FIFO);
    CHECK(sched_getparam(0, &param) == 0 && param.sched_priority == 11);
    CHECK(sched_getaffinity(0, sizeof during, &during) == 0 && CPU_COUNT(&during) == 1);
    CHECK(sched_getcpu() == cpus[0]);
    EXPECT(fw_rt_resumed(task), 0);
    EXPECT(fw_rt_task_end(task), 0);
    CHECK(sched_getscheduler(0) == SCHED_OTHER);
    CHECK(sched_getaffinity(0, sizeof after, &after) == 0 && CPU_EQUAL(&before, &after));
}

/* Cells are used anew, and a task that has gone counts for no ceiling. */
static void ceilings_follow_the_users(void)
{
    struct fw_rt_task_options o;
    fw_rt_task *task;
    unsigned lock;

    for (int priority = 40; priority > 0; priority -= 13) {
        o = options(priority);
        EXPECT(fw_rt_task_begin(&task, group, &o), 0);
        CHECK(task->slot == 0);
        CHECK(strcmp(task->record->name, "task 0") == 0);
        EXPECT(fw_rt_open(task, "c", FW_RT_PCP_DU, 0, &lock), 0);
        CHECK(group->state->lock[lock].ceiling == (uint32_t)priority);
        CHECK(group->state->lock[lock].users == 1);
        EXPECT(fw_rt_task_end(task), 0);
        CHECK(group->state->lock[lock].users == 0);
        CHECK(group->state->task[0].state == FW_RT_FREE);
    }
}

static void *fill(void *arg)
{
    struct fw_rt_task_options o = options(1 + (int)((size_t)arg % FW_RT_PRIORITY_MAX));
    fw_rt_task *task;
    unsigned lock;

    EXPECT(fw_rt_task_begin(&task, group, &o), 0);
    EXPECT(fw_rt_open(task, "c", FW_RT_PCP_DU, 0, &lock), 0);
    for (int i = 0; i < 20; i++) {
        EXPECT(fw_rt_lock(task, lock), 0);
        EXPECT(fw_rt_unlock(task, lock), 0);
    }
    pthread_barrier_wait(&full);
    pthread_barrier_wait(&over);
    EXPECT(fw_rt_task_end(task), 0);
    return NULL;
}

static void there_are_at_most_so_many(void)
{
    struct fw_rt_task_options o = options(1);
    pthread_t threads[FW_RT_TASKS_MAX];
    fw_rt_task *task;

    pthread_barrier_init(&full, NULL, FW_RT_TASKS_MAX + 1);
    pthread_barrier_init(&over, NULL, FW_RT_TASKS_MAX + 1);
    for (size_t i = 0; i < FW_RT_TASKS_MAX; i++) {
        int error = pthread_create(&threads[i], NULL, fill, (void *)i);
        if (error == EAGAIN) {
            printf("skipped: no more than %zu threads\n", i);
            fflush(stdout);
            _exit(SKIPPED);
        }
        EXPECT(error, 0);
    }
    pthread_barrier_wait(&full);
    CHECK(group->tasks == FW_RT_TASKS_MAX);
    EXPECT(fw_rt_task_begin(&task, group, &o), EAGAIN);
    CHECK(sched_getscheduler(0) == SCHED_OTHER);
    pthread_barrier_wait(&over);
    for (size_t i = 0; i < FW_RT_TASKS_MAX; i++)
        pthread_join(threads[i], NULL);
    EXPECT(fw_rt_task_begin(&task, group, &o), 0);
    EXPECT(fw_rt_task_end(task), 0);
}

int main(void)
{
    scenario_begin();
    EXPECT(fw_rt_group_open(&group, NULL, FW_RT_TIER_A), 0);
    the_thread_is_what_it_was();
    ceilings_follow_the_users();
    there_are_at_most_so_many();
    EXPECT(fw_rt_group_close(group), 0);
    return 0;
}
