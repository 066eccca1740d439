/* SPDX-License-Identifier: MIT */
/*
 * The textbook's scenarios, for furwock rt trace: what each protocol does about the same tasks.
 * Its argument is the protocol's name.  Exit status 77 where SCHED_FIFO is refused.
 *
 * On one CPU: "low" is in a section under A when "middle", who wants B, and "high", who wants A,
 * come.  On two: "low" is in a section when "high", who wants no lock, comes to its CPU, and "r1",
 * "r2" want the same lock on the other one.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <furwock/rt.h>

#include "measure/clock.h"

enum { TASKS_MAX = 4, PATIENCE_S = 50, SKIPPED = 77, USAGE = 2, MS = 1000000, FIRST_MS = 10 };

struct part {
    const char *name;
    int priority, cpu;
    const char *lock; /* NULL: none */
    int ceiling;
    int comes_ms, before_ms, inside_ms, after_ms;
};

static const struct part one_cpu[] = {
    {"high", 30, 1, "A", 30, 8, 1, 2, 1},
    {"middle", 20, 1, "B", 20, 4, 1, 4, 1},
    {"low", 10, 1, "A", 30, 0, 1, 8, 2},
};
static const struct part two_cpus[] = {
    {"r2", 25, 0, "A", 0, 5, 0, 2, 1},
    {"r1", 20, 0, "A", 0, 4, 0, 2, 1},
    {"high", 30, 1, NULL, 0, 6, 0, 0, 2},
    {"low", 10, 1, "A", 0, 0, 1, 8, 2},
};

static fw_rt_group *group;
static fw_rt_protocol protocol;
static uint64_t begins_ns;
static int cpus[2]; /* the first ones that it may run on, for 0 and 1 */

struct actor {
    const struct part *part;
    int error;
};

static void compute(int ms)
{
    uint64_t end = clock_thread_cpu_ns() + (uint64_t)ms * MS;

    while (clock_thread_cpu_ns() < end)
        continue;
}

static int job(const struct part *p, fw_rt_task *task)
{
    unsigned lock;
    int error = 0;

    if (p->lock != NULL)
        error = fw_rt_open(task, p->lock, protocol, p->ceiling, &lock);
    if (error == 0)
        error = fw_rt_resumed(task);
    if (error != 0)
        return error;
    compute(p->before_ms);
    if (p->lock != NULL) {
        error = fw_rt_lock(task, lock);
        compute(p->inside_ms);
        if (error == 0)
            error = fw_rt_unlock(task, lock);
    }
    compute(p->after_ms);
    return error;
}

static void *play(void *arg)
{
    /* It comes in time, whatever runs on its CPU; then it gets its own priority. */
    const struct sched_param urgent = {.sched_priority = FW_RT_PRIORITY_MAX};
    struct actor *a = arg;
    const struct part *p = a->part;
    struct fw_rt_task_options options = {
        .name = p->name, .cpu = cpus[p->cpu], .priority = p->priority};
    fw_rt_task *task;

    a->error = sched_setscheduler(0, SCHED_FIFO, &urgent) != 0 ? errno : 0;
    if (a->error != 0)
        return NULL;
    clock_sleep_until(begins_ns + (uint64_t)p->comes_ms * MS);
    a->error = fw_rt_task_begin(&task, group, &options);
    if (a->error == 0) {
        a->error = job(p, task);
        if (a->error != 0)
            fprintf(stderr, "%s: %s\n", p->name, fw_rt_strerror());
        fw_rt_task_end(task);
    }
    return NULL;
}

static bool find_cpus(void)
{
    cpu_set_t allowed;
    int n = 0;

    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return false;
    for (int cpu = 0; cpu < CPU_SETSIZE && n < 2; cpu++)
        if (CPU_ISSET((size_t)cpu, &allowed))
            cpus[n++] = cpu;
    return n == 2;
}

int main(int argc, char **argv)
{
    struct actor actors[TASKS_MAX] = {{NULL, 0}};
    pthread_t threads[TASKS_MAX];
    const struct part *parts;
    int n, error = 0;

    protocol = argc == 2 ? fw_rt_protocol_named(argv[1]) : 0;
    if (protocol == 0)
        return USAGE;
    parts = protocol >= FW_RT_MPCP ? two_cpus : one_cpu;
    n = protocol >= FW_RT_MPCP ? 4 : 3;
    alarm(PATIENCE_S);
    if (!find_cpus())
        return SKIPPED;
    if (fw_rt_group_open(&group, NULL, FW_RT_TIER_A) != 0)
        return EXIT_FAILURE;
    begins_ns = clock_ns() + FIRST_MS * MS;
    for (int i = 0; i < n; i++) {
        actors[i].part = &parts[i];
        if (pthread_create(&threads[i], NULL, play, &actors[i]) != 0)
            return EXIT_FAILURE;
    }
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
        if (error == 0)
            error = actors[i].error;
    }
    fw_rt_group_close(group);
    return error == EPERM ? SKIPPED : error != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
