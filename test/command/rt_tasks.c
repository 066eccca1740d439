/* SPDX-License-Identifier: MIT */
/*
 * Two tasks that share a lock, for furwock rt trace: three sections each, a few microseconds long.
 * Exit status 77 where SCHED_FIFO is refused.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <furwock/rt.h>

enum { SECTIONS = 3, PATIENCE_S = 50, SKIPPED = 77 };

static fw_rt_group *group;
static pthread_barrier_t proxy;
static int cpu;

struct task {
    const char *name;
    int priority;
    int error;
};

static void *run(void *arg)
{
    struct task *t = arg;
    struct fw_rt_task_options options = {
        .name = t->name, .cpu = cpu, .priority = t->priority, .period_ns = 2000000};
    fw_rt_task *task = NULL;
    unsigned lock = 0;

    t->error = fw_rt_task_begin(&task, group, &options);
    if (t->error == 0)
        t->error = fw_rt_open(task, "r", FW_RT_PCP_DU, 0, &lock);
    if (t->error != 0)
        fprintf(stderr, "%s: %s\n", t->name, fw_rt_strerror());
    pthread_barrier_wait(&proxy);
    for (int i = 0; i < SECTIONS && t->error == 0; i++) {
        t->error = fw_rt_lock(task, lock);
        if (t->error == 0)
            t->error = fw_rt_unlock(task, lock);
        if (t->error == 0)
            t->error = fw_rt_wait_period(task, NULL);
    }
    if (task != NULL)
        fw_rt_task_end(task);
    return NULL;
}

int main(void)
{
    struct task tasks[] = {{"low", 10, 0}, {"high", 20, 0}};
    pthread_t threads[2];
    cpu_set_t allowed;

    alarm(PATIENCE_S);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return EXIT_FAILURE;
    while (!CPU_ISSET((size_t)cpu, &allowed))
        cpu++;
    if (fw_rt_group_open(&group, NULL, FW_RT_TIER_A) != 0 ||
        pthread_barrier_init(&proxy, NULL, 2) != 0)
        return EXIT_FAILURE;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, run, &tasks[i]) != 0)
            return EXIT_FAILURE;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    fw_rt_group_close(group);
    for (int i = 0; i < 2; i++)
        if (tasks[i].error != 0)
            return tasks[i].error == EPERM ? SKIPPED : EXIT_FAILURE;
    return EXIT_SUCCESS;
}
