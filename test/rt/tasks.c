/* SPDX-License-Identifier: MIT */
#include "tasks.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <furwock/ipc/region.h>

fw_rt_protocol protocol;
int cpus[2];
char doing[100];

void choose_cpus(void)
{
    cpu_set_t set;
    unsigned n = 0;

    CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
    for (int cpu = 0; cpu < CPU_SETSIZE && n < 2; cpu++)
        if (CPU_ISSET(cpu, &set))
            cpus[n++] = cpu;
    if (n == 1)
        cpus[1] = cpus[0];
}

bool has_two_cpus(void)
{
    return cpus[0] != cpus[1];
}

void move_to(int cpu)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
}

void need_priorities(void)
{
    struct sched_param high = {.sched_priority = 98}, none = {0};

    if (sched_setscheduler(0, SCHED_FIFO, &high) != 0)
        skip("SCHED_FIFO is not permitted");
    sched_setscheduler(0, SCHED_OTHER, &none);
}

void expect_(int got, int wanted, const char *call, const char *file, int line)
{
    if (got != wanted)
        fail("%s:%d: %s: %d (%s), and not %d: \"%s\"", file, line, call, got, strerror(got), wanted,
             fw_rt_strerror());
}

void become_director(void)
{
    struct sched_param director = {.sched_priority = 99};

    if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &director) != 0)
        skip("SCHED_FIFO is not permitted");
}

void under_each_protocol(const char *only, void (*run)(void))
{
    for (protocol = FW_RT_PIP; protocol <= FW_RT_FMLP_DU; protocol++)
        if (protocol != FW_RT_PCP_DU_PF &&
            (only == NULL || strcmp(only, fw_rt_protocol_name(protocol)) == 0))
            run();
}

fw_rt_group *open_group_for(const char *name, const char *what)
{
    fw_rt_group *group;
    int error;

    snprintf(doing, sizeof doing, "%s%s%s", fw_rt_protocol_name(protocol), what != NULL ? ", " : "",
             what != NULL ? what : "");
    if (what != NULL)
        limit(LONGEST_S, doing);
    error = fw_rt_group_open(&group, name, FW_RT_TIER_A);
    if (error != 0)
        fail("%s: group: %s (%s)", doing, strerror(error), fw_rt_strerror());
    return group;
}

fw_rt_group *open_shared_group_for(const char *what)
{
    fw_rt_group *group;
    char name[64];

    snprintf(name, sizeof name, "/furwock-rt-test-%d", (int)getpid());
    group = open_group_for(name, what);
    fw_region_remove(name);
    return group;
}

fw_rt_task *begin_task(fw_rt_group *group, const char *name, int cpu, int priority,
                       const char *locks)
{
    struct fw_rt_task_options options = {
        .name = name, .cpu = cpu, .priority = priority, .period_ns = 1000000};
    fw_rt_task *task;
    int error = fw_rt_task_begin(&task, group, &options);

    if (error == EPERM)
        skip(fw_rt_strerror());
    for (unsigned i = 0; error == 0 && locks[i] != '\0'; i++) {
        char letter[2] = {locks[i], '\0'};
        unsigned lock;
        error = fw_rt_open(task, letter, protocol, 0, &lock);
        CHECK(error != 0 || lock == (unsigned)(locks[i] - 'a'));
    }
    if (error != 0)
        fail("%s: begin: %s (%s)", doing, strerror(error), fw_rt_strerror());
    return task;
}

void expect_death(fw_rt_task *task, int error)
{
    if (error != EOWNERDEAD)
        fail("%s: %s (%s)", doing, error == 0 ? "nobody is told" : strerror(error),
             fw_rt_strerror());
    CHECK(fw_rt_unlock(task, 0) == 0);
}

bool is_task_waiting(const struct fw_rt_state *state, const char *name)
{
    for (unsigned i = 0; i < FW_RT_TASKS; i++) {
        const struct fw_rt_task_record *c = &state->task[i];
        if ((name == NULL || strcmp(c->name, name) == 0) &&
            __atomic_load_n(&c->since, __ATOMIC_RELAXED) != 0)
            return true;
    }
    return false;
}

bool is_set(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

void set(bool *flag)
{
    __atomic_store_n(flag, true, __ATOMIC_RELEASE);
}

void await_flag(const bool *flag)
{
    while (!is_set(flag))
        usleep(LOOK_US);
}
