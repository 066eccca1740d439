/* SPDX-License-Identifier: MIT */
/*
 * A machine whose sets of CPUs are larger than the C library's: a task's thread gets back the CPUs
 * that it had.  (The program is linked with --wrap for both calls.)
 */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "test/rt/scenario.h"

int __real_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);
int __real_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set);
int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);
int __wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set);

/* Bytes of a set on a machine with 5000 CPUs. */
enum { LEAST = 5000 / 8 };

static size_t given_back;

int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    if (size >= LEAST)
        return __real_sched_getaffinity(pid, size, set);
    errno = EINVAL;
    return -1;
}

int __wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
    given_back = size;
    return __real_sched_setaffinity(pid, size, set);
}

int main(void)
{
    struct fw_rt_task_options options = {.priority = 3};
    cpu_set_t before, after;
    fw_rt_group *group;
    fw_rt_task *task;

    scenario_begin();
    options.cpu = sched_getcpu();
    memset(&after, 0, sizeof after);
    SCENARIO_CHECK(__real_sched_getaffinity(0, sizeof before, &before) == 0);
    SCENARIO_EXPECT(fw_rt_group_open(&group, NULL, FW_RT_TIER_A), 0);
    SCENARIO_EXPECT(fw_rt_task_begin(&task, group, &options), 0);
    SCENARIO_EXPECT(fw_rt_task_end(task), 0);
    SCENARIO_CHECK(given_back >= LEAST);
    SCENARIO_CHECK(__real_sched_getaffinity(0, sizeof after, &after) == 0);
    SCENARIO_CHECK(CPU_EQUAL(&before, &after));
    SCENARIO_EXPECT(fw_rt_group_close(group), 0);
    return 0;
}
