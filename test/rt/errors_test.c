/* SPDX-License-Identifier: MIT */
/* What is refused, and the sentence that comes with it. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rt/internal.h"
#include "sys/origin.h"
#include "test/rt/scenario.h"

static fw_rt_group *group;

static void says(const char *part)
{
    if (strstr(fw_rt_strerror(), part) == NULL)
        fprintf(stderr, "\"%s\" does not say \"%s\"\n", fw_rt_strerror(), part);
    SCENARIO_CHECK(strstr(fw_rt_strerror(), part) != NULL);
}

static struct fw_rt_task_options options(int priority)
{
    return (struct fw_rt_task_options){.cpu = scenario_cpu(), .priority = priority};
}

static void tasks_that_cannot_be(void)
{
    struct fw_rt_task_options o = options(0);
    fw_rt_task *task;

    SCENARIO_EXPECT(fw_rt_task_begin(&task, group, &o), EINVAL);
    says("the priority is 0");
    o = options(FW_RT_PRIORITY_MAX + 1);
    SCENARIO_EXPECT(fw_rt_task_begin(&task, group, &o), EINVAL);
    o = options(1);
    o.cpu = -1;
    SCENARIO_EXPECT(fw_rt_task_begin(&task, group, &o), EINVAL);
    o.cpu = 255;
    SCENARIO_EXPECT(fw_rt_task_begin(&task, group, &o), EINVAL);
    says("CPU 255");
    o = options(1);
    o.period_ns = 5, o.deadline_ns = 6;
    SCENARIO_EXPECT(fw_rt_task_begin(&task, group, &o), EINVAL);
    says("deadline");
    o = options(1);
    o.name = "a name that is longer than thirty-one bytes";
    SCENARIO_EXPECT(fw_rt_task_begin(&task, group, &o), EINVAL);
}

static void locks_that_cannot_be(void)
{
    struct fw_rt_task_options o = options(20);
    fw_rt_task *task, *second;
    unsigned lock;

    SCENARIO_EXPECT(fw_rt_task_begin(&task, group, &o), 0);
    SCENARIO_EXPECT(fw_rt_task_begin(&second, group, &o), EBUSY);
    SCENARIO_EXPECT(fw_rt_group_close(group), EBUSY);
    SCENARIO_EXPECT(fw_rt_open(task, "x", (fw_rt_protocol)0, 0, &lock), EINVAL);
    SCENARIO_EXPECT(fw_rt_open(task, "x", (fw_rt_protocol)77, 0, &lock), EINVAL);
    says("no protocol 77");
    SCENARIO_EXPECT(fw_rt_open(task, "", FW_RT_PIP, 0, &lock), EINVAL);
    SCENARIO_EXPECT(fw_rt_open(task, NULL, FW_RT_PIP, 0, &lock), EINVAL);
    SCENARIO_EXPECT(
        fw_rt_open(task, "a name that is longer than thirty-one bytes", FW_RT_PIP, 0, &lock),
        EINVAL);
    SCENARIO_EXPECT(fw_rt_open(task, "x", FW_RT_PCP_DU, 19, &lock), EINVAL);
    says("below the priority");
    SCENARIO_EXPECT(fw_rt_open(task, "x", FW_RT_PCP_DU, FW_RT_PRIORITY_MAX + 1, &lock), EINVAL);
    SCENARIO_EXPECT(fw_rt_open(task, "x", FW_RT_PCP_DU, -1, &lock), EINVAL);
    SCENARIO_EXPECT(fw_rt_open(task, "x", FW_RT_PCP_DU_PF, 0, &lock), ENOTSUP);
    SCENARIO_EXPECT(fw_rt_open(task, "x", FW_RT_PCP_DU, 25, &lock), 0);
    SCENARIO_EXPECT(fw_rt_open(task, "x", FW_RT_PCP_DU, 25, &lock), 0);
    SCENARIO_CHECK(lock == 0);
    SCENARIO_EXPECT(fw_rt_open(task, "x", FW_RT_PCP_DU, 26, &lock), EEXIST);
    says("a ceiling of 25");
    SCENARIO_EXPECT(fw_rt_open(task, "x", FW_RT_IPCP, 25, &lock), EEXIST);
    says("under PCP-DU-BOOL");
    SCENARIO_EXPECT(fw_rt_lock(task, 1), EINVAL);
    SCENARIO_EXPECT(fw_rt_unlock(task, 1), EINVAL);
    SCENARIO_EXPECT(fw_rt_trylock(task, FW_RT_LOCKS_MAX), EINVAL);
    SCENARIO_EXPECT(fw_rt_unlock(task, ~0u), EINVAL);
    SCENARIO_EXPECT(fw_rt_unlock(task, 0), EPERM);
    SCENARIO_EXPECT(fw_rt_wait_period(task, NULL), EINVAL);
    SCENARIO_EXPECT(fw_rt_task_end(task), 0);
    o.priority = 30;
    SCENARIO_EXPECT(fw_rt_task_begin(&task, group, &o), 0);
    SCENARIO_EXPECT(fw_rt_open(task, "x", FW_RT_PCP_DU, 25, &lock), EINVAL);
    SCENARIO_EXPECT(fw_rt_open(task, "x", FW_RT_PCP_DU, 0, &lock), EINVAL);
    SCENARIO_EXPECT(fw_rt_task_end(task), 0);
}

static void there_are_at_most_so_many_locks(void)
{
    struct fw_rt_task_options o = options(5);
    fw_rt_group *full;
    fw_rt_task *task;
    char name[16];
    unsigned lock;

    SCENARIO_EXPECT(fw_rt_group_open(&full, NULL, FW_RT_TIER_A), 0);
    SCENARIO_EXPECT(fw_rt_task_begin(&task, full, &o), 0);
    for (unsigned i = 0; i < FW_RT_LOCKS_MAX; i++) {
        snprintf(name, sizeof name, "%u", i);
        SCENARIO_EXPECT(fw_rt_open(task, name, FW_RT_PCP_DU, 0, &lock), 0);
        SCENARIO_CHECK(lock == i);
    }
    SCENARIO_EXPECT(fw_rt_open(task, "one more", FW_RT_PCP_DU, 0, &lock), ENOSPC);
    SCENARIO_EXPECT(fw_rt_lock(task, FW_RT_LOCKS_MAX - 1), 0);
    SCENARIO_EXPECT(fw_rt_unlock(task, FW_RT_LOCKS_MAX - 1), 0);
    SCENARIO_EXPECT(fw_rt_task_end(task), 0);
    SCENARIO_EXPECT(fw_rt_group_close(full), 0);
}

static void *use_elsewhere(void *arg)
{
    struct fw_rt_task_options o = options(8);
    fw_rt_task *task;
    unsigned lock;

    (void)arg;
    o.cpu = scenario_other_cpu();
    SCENARIO_EXPECT(fw_rt_task_begin(&task, group, &o), 0);
    SCENARIO_EXPECT(fw_rt_open(task, "here", FW_RT_PCP_DU, 0, &lock), EXDEV);
    says("for the tasks of CPU");
    SCENARIO_EXPECT(fw_rt_open(task, "anywhere", FW_RT_PIP, 0, &lock), 0);
    SCENARIO_EXPECT(fw_rt_task_end(task), 0);
    return NULL;
}

/* Somebody else moves the thread: as far as it can tell, itself. */
static void move_to(int cpu)
{
    cpu_set_t cpus;

    CPU_ZERO(&cpus);
    CPU_SET((size_t)cpu, &cpus);
    SCENARIO_CHECK(sched_setaffinity(0, sizeof cpus, &cpus) == 0);
}

static void one_cpu_only(void)
{
    struct fw_rt_task_options o = options(20);
    pthread_t other;
    fw_rt_task *task;
    unsigned lock;

    if (scenario_other_cpu() < 0)
        return;
    SCENARIO_EXPECT(fw_rt_task_begin(&task, group, &o), 0);
    SCENARIO_EXPECT(fw_rt_open(task, "here", FW_RT_PCP_DU, 0, &lock), 0);
    move_to(scenario_other_cpu());
    SCENARIO_EXPECT(fw_rt_lock(task, lock), EXDEV);
    says("was moved to CPU");
    SCENARIO_EXPECT(fw_rt_trylock(task, lock), EXDEV);
    move_to(scenario_cpu());
    SCENARIO_EXPECT(fw_rt_lock(task, lock), 0);
    SCENARIO_EXPECT(pthread_create(&other, NULL, use_elsewhere, NULL), 0);
    pthread_join(other, NULL);
    SCENARIO_EXPECT(fw_rt_unlock(task, lock), 0);
    SCENARIO_EXPECT(fw_rt_task_end(task), 0);
}

/* A task that shares a group's memory may have written anything there. */
static void cells_that_were_written_over(void)
{
    struct fw_rt_task_options o = options(7);
    struct fw_rt_job job;
    fw_rt_task *task;

    o.period_ns = 1;
    SCENARIO_EXPECT(fw_rt_task_begin(&task, group, &o), 0);
    task->record->period = 0;
    memset(task->record->name, 'x', sizeof task->record->name);
    SCENARIO_EXPECT(fw_rt_lock(task, 1), EINVAL);
    says("xxx\" has not opened");
    task->next_release_ns -= 5000000000; /* periods, more than 32 bits have */
    SCENARIO_EXPECT(fw_rt_wait_period(task, &job), 0);
    SCENARIO_CHECK(job.missed == UINT32_MAX && task->next_release_ns > job.finished_ns);
    SCENARIO_EXPECT(fw_rt_task_end(task), 0);
}

/* To open another lock in a section does not take away what the section gives. */
static void opening_in_a_section(void)
{
    struct fw_rt_task_options o = options(7);
    struct sched_param in, after;
    fw_rt_task *task;
    unsigned lock, next;

    SCENARIO_EXPECT(fw_rt_task_begin(&task, group, &o), 0);
    SCENARIO_EXPECT(fw_rt_open(task, "boosts", FW_RT_MPCP, 0, &lock), 0);
    SCENARIO_EXPECT(fw_rt_lock(task, lock), 0);
    SCENARIO_CHECK(sched_getparam(0, &in) == 0 && in.sched_priority > 49);
    SCENARIO_EXPECT(fw_rt_open(task, "boosts, too", FW_RT_MPCP, 0, &next), 0);
    SCENARIO_CHECK(sched_getparam(0, &after) == 0 && after.sched_priority == in.sched_priority);
    SCENARIO_EXPECT(fw_rt_unlock(task, lock), 0);
    SCENARIO_EXPECT(fw_rt_task_end(task), 0);
}

/* A child has none of its parent's tasks. */
static void a_child_counts_for_itself(fw_rt_group *shared)
{
    struct fw_rt_task_options o = options(7);
    fw_rt_task *task;
    int status = -1;
    pid_t child;

    SCENARIO_EXPECT(fw_rt_task_begin(&task, shared, &o), 0);
    child = fork();
    if (child == 0) {
        alarm(100);
        o.priority = 6;
        SCENARIO_EXPECT(fw_rt_task_begin(&task, shared, &o), 0);
        SCENARIO_EXPECT(fw_rt_group_close(shared), EBUSY);
        SCENARIO_EXPECT(fw_rt_task_end(task), 0);
        SCENARIO_EXPECT(fw_rt_group_close(shared), 0);
        _exit(0);
    }
    SCENARIO_CHECK(waitpid(child, &status, 0) == child && status == 0);
    SCENARIO_EXPECT(fw_rt_task_end(task), 0);
}

static void heads_that_cannot_be(fw_rt_group *shared, const char *path)
{
    struct fw_rt_state *w = shared->state;
    fw_rt_group *again;

    if (fw_pid_namespace_() != 0) {
        w->pid_namespace ^= 1;
        SCENARIO_EXPECT(fw_rt_group_open(&again, path, FW_RT_TIER_A), ENOTSUP);
        says("another pid namespace");
        w->pid_namespace ^= 1;
    }
    w->tier = 9;
    SCENARIO_EXPECT(fw_rt_group_open(&again, path, FW_RT_TIER_ANY), EUCLEAN);
    w->tier = FW_RT_TIER_A;
}

static void groups_that_cannot_be(void)
{
    static const char path[] = "./rt_errors_test.group";
    fw_rt_group *other, *again;
    int fd;

    SCENARIO_EXPECT(fw_rt_group_open(&other, NULL, (fw_rt_tier)9), EINVAL);
    SCENARIO_EXPECT(fw_rt_group_open(&other, "", FW_RT_TIER_A), EINVAL);
    SCENARIO_EXPECT(fw_rt_group_open(&other, "./no/such/directory", FW_RT_TIER_A), ENOENT);
    unlink(path);
    SCENARIO_EXPECT(fw_rt_group_open(&other, path, FW_RT_TIER_A), 0);
    SCENARIO_CHECK(fw_rt_group_tier(other) == FW_RT_TIER_A);
    SCENARIO_EXPECT(fw_rt_group_open(&again, path, FW_RT_TIER_ANY), 0);
    SCENARIO_CHECK(fw_rt_group_tier(again) == FW_RT_TIER_A);
    SCENARIO_EXPECT(fw_rt_group_close(again), 0);
    SCENARIO_EXPECT(fw_rt_group_open(&again, path, FW_RT_TIER_B), EPROTO);
    a_child_counts_for_itself(other);
    heads_that_cannot_be(other, path);
    SCENARIO_EXPECT(fw_rt_group_close(other), 0);
    unlink(path);
    fd = open(path, O_CREAT | O_WRONLY, 0600);
    SCENARIO_CHECK(fd >= 0 && write(fd, "something else", 14) == 14);
    close(fd);
    SCENARIO_EXPECT(fw_rt_group_open(&other, path, FW_RT_TIER_A), EUCLEAN);
    unlink(path);
}

/* In a child: its own affairs only. */
static void without_the_right(void)
{
    struct fw_rt_task_options o = options(5);
    struct rlimit none = {0, 0};
    fw_rt_group *own;
    fw_rt_task *task;

    alarm(100);
    SCENARIO_EXPECT(fw_rt_task_begin(&task, group, &o), EINVAL);
    says("belongs to the parent");
    SCENARIO_EXPECT(fw_rt_group_open(&own, NULL, FW_RT_TIER_A), 0);
    SCENARIO_CHECK(setrlimit(RLIMIT_RTPRIO, &none) == 0);
    if (setuid(65534) != 0)
        _exit(0); /* no CAP_SETUID */
    SCENARIO_EXPECT(fw_rt_task_begin(&task, own, &o), EPERM);
    says("CAP_SYS_NICE");
    SCENARIO_CHECK(sched_getscheduler(0) == SCHED_OTHER);
    _exit(0);
}

int main(void)
{
    int status = -1;
    pid_t child;

    scenario_begin();
    SCENARIO_EXPECT(fw_rt_group_open(&group, NULL, FW_RT_TIER_A), 0);
    tasks_that_cannot_be();
    locks_that_cannot_be();
    there_are_at_most_so_many_locks();
    one_cpu_only();
    cells_that_were_written_over();
    opening_in_a_section();
    groups_that_cannot_be();
    child = geteuid() == 0 ? fork() : -1;
    if (child == 0)
        without_the_right();
    SCENARIO_CHECK(child < 0 || (waitpid(child, &status, 0) == child && status == 0));
    SCENARIO_EXPECT(fw_rt_group_close(group), 0);
    return 0;
}
