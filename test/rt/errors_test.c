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

#include <furwock/ipc/region.h>

#include "rt/internal.h"
#include "sys/origin.h"
#include "test/rt/scenario.h"

static fw_rt_group *group;

static void says(const char *part)
{
    if (strstr(fw_rt_strerror(), part) == NULL)
        fprintf(stderr, "\"%s\" does not say \"%s\"\n", fw_rt_strerror(), part);
    CHECK(strstr(fw_rt_strerror(), part) != NULL);
}

static struct fw_rt_task_options options(int priority)
{
    return (struct fw_rt_task_options){.cpu = cpus[0], .priority = priority};
}

static fw_rt_task *begin(int priority)
{
    struct fw_rt_task_options o = options(priority);
    fw_rt_task *task;

    EXPECT(fw_rt_task_begin(&task, group, &o), 0);
    return task;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define TOO_LONG "a name that is longer than thirty-one bytes"

static void tasks_that_cannot_be(void)
{
    const struct {
        struct fw_rt_task_options options;
        const char *says;
    } refused[] = {
        {{.cpu = cpus[0], .priority = 0}, "the priority is 0"},
        {{.cpu = cpus[0], .priority = FW_RT_PRIORITY_MAX + 1}, "priority"},
        {{.cpu = -1, .priority = 1}, "CPU"},
        {{.cpu = 255, .priority = 1}, "CPU 255"},
        {{.cpu = cpus[0], .priority = 1, .period_ns = 5, .deadline_ns = 6}, "deadline"},
        {{.cpu = cpus[0], .priority = 1, .name = TOO_LONG}, ""},
    };
    fw_rt_task *task;

    for (size_t i = 0; i < COUNT(refused); i++) {
        EXPECT(fw_rt_task_begin(&task, group, &refused[i].options), EINVAL);
        says(refused[i].says);
    }
}

/* By a task of priority 20, in this order: one of them makes "x". */
static const struct {
    const char *name;
    fw_rt_protocol protocol;
    int ceiling, error;
    const char *says;
} openings[] = {
    {"x", (fw_rt_protocol)0, 0, EINVAL, ""},
    {"x", (fw_rt_protocol)77, 0, EINVAL, "no protocol 77"},
    {"", FW_RT_PIP, 0, EINVAL, ""},
    {NULL, FW_RT_PIP, 0, EINVAL, ""},
    {TOO_LONG, FW_RT_PIP, 0, EINVAL, ""},
    {"x", FW_RT_PCP_DU, 19, EINVAL, "below the priority"},
    {"x", FW_RT_PCP_DU, FW_RT_PRIORITY_MAX + 1, EINVAL, ""},
    {"x", FW_RT_PCP_DU, -1, EINVAL, ""},
    {"x", FW_RT_PCP_DU_PF, 0, ENOTSUP, ""},
    {"x", FW_RT_PCP_DU, 25, 0, ""},
    {"x", FW_RT_PCP_DU, 25, 0, ""},
    {"x", FW_RT_PCP_DU, 26, EEXIST, "a ceiling of 25"},
    {"x", FW_RT_IPCP, 25, EEXIST, "under PCP-DU-BOOL"},
};

static void locks_that_cannot_be(void)
{
    struct fw_rt_task_options o = options(20);
    fw_rt_task *task = begin(20), *second;
    unsigned lock;

    EXPECT(fw_rt_task_begin(&second, group, &o), EBUSY);
    EXPECT(fw_rt_group_close(group), EBUSY);
    for (size_t i = 0; i < COUNT(openings); i++) {
        EXPECT(fw_rt_open(task, openings[i].name, openings[i].protocol, openings[i].ceiling, &lock),
               openings[i].error);
        says(openings[i].says);
        CHECK(openings[i].error != 0 || lock == 0);
    }
    EXPECT(fw_rt_lock(task, 1), EINVAL);
    EXPECT(fw_rt_unlock(task, 1), EINVAL);
    EXPECT(fw_rt_trylock(task, FW_RT_LOCKS_MAX), EINVAL);
    EXPECT(fw_rt_unlock(task, ~0u), EINVAL);
    EXPECT(fw_rt_unlock(task, 0), EPERM);
    EXPECT(fw_rt_wait_period(task, NULL), EINVAL);
    EXPECT(fw_rt_task_end(task), 0);
    task = begin(30);
    EXPECT(fw_rt_open(task, "x", FW_RT_PCP_DU, 25, &lock), EINVAL);
    EXPECT(fw_rt_open(task, "x", FW_RT_PCP_DU, 0, &lock), EINVAL);
    EXPECT(fw_rt_task_end(task), 0);
}

static void there_are_at_most_so_many_locks(void)
{
    struct fw_rt_task_options o = options(5);
    fw_rt_group *full;
    fw_rt_task *task;
    char name[16];
    unsigned lock;

    EXPECT(fw_rt_group_open(&full, NULL, FW_RT_TIER_A), 0);
    EXPECT(fw_rt_task_begin(&task, full, &o), 0);
    for (unsigned i = 0; i < FW_RT_LOCKS_MAX; i++) {
        snprintf(name, sizeof name, "%u", i);
        EXPECT(fw_rt_open(task, name, FW_RT_PCP_DU, 0, &lock), 0);
        CHECK(lock == i);
    }
    EXPECT(fw_rt_open(task, "one more", FW_RT_PCP_DU, 0, &lock), ENOSPC);
    EXPECT(fw_rt_lock(task, FW_RT_LOCKS_MAX - 1), 0);
    EXPECT(fw_rt_unlock(task, FW_RT_LOCKS_MAX - 1), 0);
    EXPECT(fw_rt_task_end(task), 0);
    EXPECT(fw_rt_group_close(full), 0);
}

static void *use_elsewhere(void *arg)
{
    struct fw_rt_task_options o = options(8);
    fw_rt_task *task;
    unsigned lock;

    (void)arg;
    o.cpu = cpus[1];
    EXPECT(fw_rt_task_begin(&task, group, &o), 0);
    EXPECT(fw_rt_open(task, "here", FW_RT_PCP_DU, 0, &lock), EXDEV);
    says("for the tasks of CPU");
    EXPECT(fw_rt_open(task, "anywhere", FW_RT_PIP, 0, &lock), 0);
    EXPECT(fw_rt_task_end(task), 0);
    return NULL;
}

static void one_cpu_only(void)
{
    pthread_t other;
    fw_rt_task *task;
    unsigned lock;

    if (!has_two_cpus())
        return;
    task = begin(20);
    EXPECT(fw_rt_open(task, "here", FW_RT_PCP_DU, 0, &lock), 0);
    move_to(cpus[1]);
    EXPECT(fw_rt_lock(task, lock), EXDEV);
    says("was moved to CPU");
    EXPECT(fw_rt_trylock(task, lock), EXDEV);
    move_to(cpus[0]);
    EXPECT(fw_rt_lock(task, lock), 0);
    EXPECT(pthread_create(&other, NULL, use_elsewhere, NULL), 0);
    pthread_join(other, NULL);
    EXPECT(fw_rt_unlock(task, lock), 0);
    EXPECT(fw_rt_task_end(task), 0);
}

/* A task that shares a group's memory may have written anything there. */
static void cells_that_were_written_over(void)
{
    struct fw_rt_task_options o = options(7);
    struct fw_rt_job job;
    fw_rt_task *task;

    o.period_ns = 1;
    EXPECT(fw_rt_task_begin(&task, group, &o), 0);
    task->record->period = 0;
    memset(task->record->name, 'x', sizeof task->record->name);
    EXPECT(fw_rt_lock(task, 1), EINVAL);
    says("xxx\" has not opened");
    task->next_release_ns -= 5000000000; /* periods, more than 32 bits have */
    EXPECT(fw_rt_wait_period(task, &job), 0);
    CHECK(job.missed == UINT32_MAX && task->next_release_ns > job.finished_ns);
    EXPECT(fw_rt_task_end(task), 0);
}

/* To open another lock in a section does not take away what the section gives. */
static void opening_in_a_section(void)
{
    struct sched_param in, after;
    fw_rt_task *task = begin(7);
    unsigned lock, next;

    EXPECT(fw_rt_open(task, "boosts", FW_RT_MPCP, 0, &lock), 0);
    EXPECT(fw_rt_lock(task, lock), 0);
    CHECK(sched_getparam(0, &in) == 0 && in.sched_priority > 49);
    EXPECT(fw_rt_open(task, "boosts, too", FW_RT_MPCP, 0, &next), 0);
    CHECK(sched_getparam(0, &after) == 0 && after.sched_priority == in.sched_priority);
    EXPECT(fw_rt_unlock(task, lock), 0);
    EXPECT(fw_rt_task_end(task), 0);
}

/* A child has none of its parent's tasks. */
static void a_child_counts_for_itself(fw_rt_group *shared)
{
    struct fw_rt_task_options o = options(7);
    fw_rt_task *task;
    int status = -1;
    pid_t child;

    EXPECT(fw_rt_task_begin(&task, shared, &o), 0);
    child = fork();
    if (child == 0) {
        alarm(100);
        o.priority = 6;
        EXPECT(fw_rt_task_begin(&task, shared, &o), 0);
        EXPECT(fw_rt_group_close(shared), EBUSY);
        EXPECT(fw_rt_task_end(task), 0);
        EXPECT(fw_rt_group_close(shared), 0);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    EXPECT(fw_rt_task_end(task), 0);
}

static void heads_that_cannot_be(fw_rt_group *shared, const char *path)
{
    struct fw_rt_state *w = shared->state;
    fw_rt_group *again;

    if (fw_pid_namespace_() != 0) {
        w->pid_namespace ^= 1;
        EXPECT(fw_rt_group_open(&again, path, FW_RT_TIER_A), ENOTSUP);
        says("another pid namespace");
        w->pid_namespace ^= 1;
    }
    w->tier = 9;
    EXPECT(fw_rt_group_open(&again, path, FW_RT_TIER_ANY), EUCLEAN);
    w->tier = FW_RT_TIER_A;
}

static void groups_that_cannot_be(void)
{
    static const char path[] = "./rt_errors_test.group";
    fw_rt_group *other, *again;
    int fd;

    EXPECT(fw_rt_group_open(&other, NULL, (fw_rt_tier)9), EINVAL);
    EXPECT(fw_rt_group_open(&other, "", FW_RT_TIER_A), EINVAL);
    EXPECT(fw_rt_group_open(&other, "./no/such/directory", FW_RT_TIER_A), ENOENT);
    unlink(path);
    EXPECT(fw_rt_group_open(&other, path, FW_RT_TIER_A), 0);
    CHECK(fw_rt_group_tier(other) == FW_RT_TIER_A);
    EXPECT(fw_rt_group_open(&again, path, FW_RT_TIER_ANY), 0);
    CHECK(fw_rt_group_tier(again) == FW_RT_TIER_A);
    EXPECT(fw_rt_group_close(again), 0);
    EXPECT(fw_rt_group_open(&again, path, FW_RT_TIER_B), EPROTO);
    a_child_counts_for_itself(other);
    heads_that_cannot_be(other, path);
    EXPECT(fw_rt_group_close(other), 0);
    unlink(path);
    fd = open(path, O_CREAT | O_WRONLY, 0600);
    CHECK(fd >= 0 && write(fd, "something else", 14) == 14);
    close(fd);
    EXPECT(fw_rt_group_open(&other, path, FW_RT_TIER_A), EUCLEAN);
    unlink(path);
}

static void a_group_of_format(const char *path, uint32_t format, size_t size)
{
    fw_rt_group *other;
    fw_region *region;
    struct fw_rt_state *w;
    char found[60];
    void *object;

    EXPECT(fw_region_open(path, size + FW_REGION_MIN_SIZE, FW_REGION_CREATE, &region), 0);
    EXPECT(fw_region_object(region, "furwock-rt", FW_REGION_DATA, size, FW_REGION_CREATE, &object),
           0);
    w = object;
    w->magic = FW_RT_MAGIC;
    w->format = format;
    EXPECT(fw_region_close(region), 0);
    EXPECT(fw_rt_group_open(&other, path, FW_RT_TIER_ANY), EPROTO);
    snprintf(found, sizeof found, "is of format %u: furwock ", format);
    says(found);
    says(" has format ");
    unlink(path);
}

/* Of older and newer versions, which may have had other sizes. */
static void groups_of_other_formats(void)
{
    static const char path[] = "./rt_errors_format.group";
    const size_t size = sizeof(struct fw_rt_state);

    unlink(path);
    a_group_of_format(path, FW_RT_GROUP_FORMAT - 1, size);
    a_group_of_format(path, FW_RT_GROUP_FORMAT - 1, 256);
    a_group_of_format(path, FW_RT_GROUP_FORMAT + 1, size);
    a_group_of_format(path, FW_RT_GROUP_FORMAT + 1, size - 64);
    a_group_of_format(path, FW_RT_GROUP_FORMAT + 9, 2 * size);
}

/* In a child: its own affairs only. */
static void without_the_right(void)
{
    struct fw_rt_task_options o = options(5);
    struct rlimit none = {0, 0};
    fw_rt_group *own;
    fw_rt_task *task;

    alarm(100);
    EXPECT(fw_rt_task_begin(&task, group, &o), EINVAL);
    says("belongs to the parent");
    EXPECT(fw_rt_group_open(&own, NULL, FW_RT_TIER_A), 0);
    CHECK(setrlimit(RLIMIT_RTPRIO, &none) == 0);
    if (setuid(65534) != 0)
        _exit(0); /* no CAP_SETUID */
    EXPECT(fw_rt_task_begin(&task, own, &o), EPERM);
    says("CAP_SYS_NICE");
    CHECK(sched_getscheduler(0) == SCHED_OTHER);
    _exit(0);
}

int main(void)
{
    int status = -1;
    pid_t child;

    scenario_begin();
    EXPECT(fw_rt_group_open(&group, NULL, FW_RT_TIER_A), 0);
    tasks_that_cannot_be();
    locks_that_cannot_be();
    there_are_at_most_so_many_locks();
    one_cpu_only();
    cells_that_were_written_over();
    opening_in_a_section();
    groups_that_cannot_be();
    groups_of_other_formats();
    child = geteuid() == 0 ? fork() : -1;
    if (child == 0)
        without_the_right();
    CHECK(child < 0 || (waitpid(child, &status, 0) == child && status == 0));
    EXPECT(fw_rt_group_close(group), 0);
    return 0;
}
