/* SPDX-License-Identifier: MIT */
/*
 * A task's process calls exec in a section, under every protocol of tier A.  The new program runs
 * on, with the task's thread id or (where another thread than the first called exec) without it;
 * who waits for the section, and who comes later, gets the lock with EOWNERDEAD while it still
 * runs.  Then the new program becomes a task of the group itself, under the id that a dead one had.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <furwock/ipc/region.h>

#include "processes.h"
#include "rt/internal.h"

enum { LONGEST_S = 60, LOOK_US = 100, VICTIM = 20, WAITER = 30, LATER = 10 };

static char name[64], doing[100];
static fw_rt_group *group;
static fw_rt_protocol protocol;
static int cpu;

/* The death is told once, to the waiter or to a task that comes later. */
static struct {
    bool has_begun, is_in, may_call, has_waiter;
} * here;

struct scenario {
    const char *name;
    bool is_other_thread, has_waiter, is_task_again;
};

static bool is_set(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void set(bool *flag)
{
    __atomic_store_n(flag, true, __ATOMIC_RELEASE);
}

static fw_rt_task *begin(fw_rt_group *in, int priority)
{
    struct fw_rt_task_options options = {.cpu = cpu, .priority = priority};
    fw_rt_task *task;
    unsigned lock;
    int error = fw_rt_task_begin(&task, in, &options);

    if (error == EPERM)
        skip(fw_rt_strerror());
    if (error == 0)
        error = fw_rt_open(task, "lock", protocol, 0, &lock);
    if (error != 0 || lock != 0)
        fail("%s: %s (%s)", doing, strerror(error), fw_rt_strerror());
    return task;
}

/* --- The new program --- */

/* `again`: the group's name; "": it is no task. */
static int go_on(const char *again)
{
    fw_rt_group *own;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (again[0] != '\0') {
        CHECK(fw_rt_group_open(&own, again, FW_RT_TIER_A) == 0);
        begin(own, VICTIM);
    }
    CHECK(write(STDOUT_FILENO, "!", 1) == 1);
    for (;;)
        pause();
}

/* --- The victim --- */

static void *call_exec(void *arg)
{
    const struct scenario *scenario = arg;
    fw_rt_task *task = begin(group, VICTIM);
    char number[12], on[12];

    snprintf(number, sizeof number, "%d", (int)protocol);
    snprintf(on, sizeof on, "%d", cpu);
    CHECK(fw_rt_lock(task, 0) == 0);
    set(&here->is_in);
    while (!is_set(&here->may_call))
        usleep(LOOK_US);
    execl("/proc/self/exe", "test_rt_exec", "--go-on", scenario->is_task_again ? name : "", number,
          on, (char *)NULL);
    fail("exec: %s", strerror(errno));
}

static int pipe_ends[2];

static void be_victim(void *arg)
{
    const struct scenario *scenario = arg;
    pthread_t thread;

    CHECK(dup2(pipe_ends[1], STDOUT_FILENO) == STDOUT_FILENO);
    if (!scenario->is_other_thread)
        call_exec(arg);
    CHECK(pthread_create(&thread, NULL, call_exec, arg) == 0);
    for (;;)
        pause();
}

/* --- The others --- */

static void expect_death(fw_rt_task *task, int error)
{
    if (error != EOWNERDEAD)
        fail("%s: %s (%s)", doing, error == 0 ? "nobody is told" : strerror(error),
             fw_rt_strerror());
    CHECK(fw_rt_unlock(task, 0) == 0);
}

static void be_waiter(void *unused)
{
    fw_rt_task *task = begin(group, WAITER);

    (void)unused;
    set(&here->has_begun); /* who begins beside a section waits for it */
    while (!is_set(&here->is_in))
        usleep(LOOK_US);
    CHECK(fw_rt_trylock(task, 0) == EBUSY);
    set(&here->has_waiter);
    expect_death(task, fw_rt_lock(task, 0));
    CHECK(fw_rt_task_end(task) == 0);
}

static void be_later(void *arg)
{
    const struct scenario *scenario = arg;
    fw_rt_task *task = begin(group, LATER);

    if (!scenario->has_waiter)
        expect_death(task, fw_rt_trylock(task, 0));
    CHECK(fw_rt_lock(task, 0) == 0 && fw_rt_unlock(task, 0) == 0);
    CHECK(fw_rt_task_end(task) == 0);
}

static bool is_waiting(void)
{
    for (unsigned i = 0; i < FW_RT_TASKS; i++)
        if (__atomic_load_n(&group->state->task[i].since, __ATOMIC_RELAXED) != 0)
            return true;
    return false;
}

static void play(struct scenario scenario)
{
    pid_t victim, waiter = 0;
    char sign;

    snprintf(doing, sizeof doing, "%s, %s", fw_rt_protocol_name(protocol), scenario.name);
    limit(LONGEST_S, doing);
    memset(here, 0, sizeof *here);
    snprintf(name, sizeof name, "/furwock-rt-exec-%d", (int)getpid());
    CHECK(fw_rt_group_open(&group, name, FW_RT_TIER_A) == 0);
    CHECK(pipe(pipe_ends) == 0);
    if (scenario.has_waiter) {
        waiter = start(be_waiter, NULL);
        while (!is_set(&here->has_begun))
            usleep(LOOK_US);
    }
    victim = start(be_victim, &scenario);
    close(pipe_ends[1]);
    while (!is_set(&here->is_in))
        usleep(LOOK_US);
    while (scenario.has_waiter && (!is_set(&here->has_waiter) || !is_waiting()))
        usleep(LOOK_US);
    set(&here->may_call);
    CHECK(read(pipe_ends[0], &sign, 1) == 1); /* the new program is there */
    close(pipe_ends[0]);
    if (scenario.has_waiter)
        finish(waiter);
    finish(start(be_later, &scenario));
    kill_and_wait(victim); /* and not before */
    fw_region_remove(name);
    CHECK(fw_rt_group_close(group) == 0);
}

static const struct scenario scenarios[] = {
    {.name = "the first thread"},
    {.name = "the first thread, awaited", .has_waiter = true},
    {.name = "another thread", .is_other_thread = true},
    {.name = "another thread, awaited", .is_other_thread = true, .has_waiter = true},
    {.name = "a task again", .is_task_again = true},
};

static int first_cpu(void)
{
    cpu_set_t set;
    int first = 0;

    CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
    while (!CPU_ISSET(first, &set))
        first++;
    return first;
}

int main(int argc, char **argv)
{
    struct sched_param highest = {.sched_priority = 98}, none = {0};

    if (argc == 5 && strcmp(argv[1], "--go-on") == 0) {
        protocol = (fw_rt_protocol)atoi(argv[3]);
        cpu = atoi(argv[4]);
        return go_on(argv[2]);
    }
    if (sched_setscheduler(0, SCHED_FIFO, &highest) != 0)
        skip("SCHED_FIFO is not permitted"); /* which the victim could not say */
    CHECK(sched_setscheduler(0, SCHED_OTHER, &none) == 0);
    cpu = first_cpu();
    here = share(sizeof *here);
    for (protocol = FW_RT_PIP; protocol <= FW_RT_FMLP_DU; protocol++) {
        if (protocol == FW_RT_PCP_DU_PF ||
            (argc > 1 && strcmp(argv[1], fw_rt_protocol_name(protocol)) != 0))
            continue;
        for (unsigned i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
            play(scenarios[i]);
    }
    return 0;
}
