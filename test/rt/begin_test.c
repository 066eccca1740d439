/* SPDX-License-Identifier: MIT */
/*
 * How a thread becomes a task beside tasks that run: it never waits for one that is less urgent,
 * except for sections that outrank it.  (The program is linked with --wrap for both calls.)
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "rt/internal.h"
#include "test/rt/scenario.h"

int __real_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set);
int __wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set);
int __real_sched_setscheduler(pid_t pid, int policy, const struct sched_param *param);
int __wrap_sched_setscheduler(pid_t pid, int policy, const struct sched_param *param);

static bool is_recording;
static char calls[16]; /* the main thread's, a letter each: C for its CPUs, P for its policy */

static void record(char what)
{
    size_t n = strlen(calls);

    SCENARIO_CHECK(!is_recording || n < sizeof calls - 1);
    if (is_recording)
        calls[n] = what;
}

int __wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
    record('C');
    return __real_sched_setaffinity(pid, size, set);
}

int __wrap_sched_setscheduler(pid_t pid, int policy, const struct sched_param *param)
{
    record('P');
    return __real_sched_setscheduler(pid, policy, param);
}

/* --- A thread is on a CPU of real-time tasks only while it has a priority there --- */

static void the_priority_comes_first_and_goes_last(void)
{
    struct fw_rt_task_options o = {.cpu = scenario_cpu(), .priority = 7};
    fw_rt_group *group;
    fw_rt_task *task;

    SCENARIO_EXPECT(fw_rt_group_open(&group, NULL, FW_RT_TIER_A), 0);
    is_recording = true;
    SCENARIO_EXPECT(fw_rt_task_begin(&task, group, &o), 0);
    SCENARIO_CHECK(strcmp(calls, "PC") == 0);
    memset(calls, 0, sizeof calls);
    SCENARIO_EXPECT(fw_rt_task_end(task), 0);
    SCENARIO_CHECK(strcmp(calls, "CP") == 0);
    is_recording = false;
    SCENARIO_EXPECT(fw_rt_group_close(group), 0);
}

/* --- A thread that was urgent already begins beside a section --- */

static struct {
    pthread_t thread;
    sem_t ready, cue;
    fw_rt_group *group;
} late;

static struct actor *user;

static void be_urgent(int priority)
{
    struct sched_param param = {.sched_priority = priority};
    cpu_set_t cpus;

    CPU_ZERO(&cpus);
    CPU_SET((size_t)scenario_cpu(), &cpus);
    SCENARIO_CHECK(__real_sched_setscheduler(0, SCHED_FIFO, &param) == 0);
    SCENARIO_CHECK(__real_sched_setaffinity(0, sizeof cpus, &cpus) == 0);
}

static void *begin_late(void *arg)
{
    struct fw_rt_task_options o = {.name = "H", .cpu = scenario_cpu(), .priority = 30};
    fw_rt_task *task;

    (void)arg;
    be_urgent(o.priority);
    sem_post(&late.ready);
    while (sem_wait(&late.cue) != 0)
        ;
    scenario_say("H1");
    SCENARIO_EXPECT(fw_rt_task_begin(&task, late.group, &o), 0);
    scenario_say("H2");
    SCENARIO_EXPECT(fw_rt_task_end(task), 0);
    return NULL;
}

static void hold_while_one_begins(struct actor *me)
{
    late.group = me->task->group;
    SCENARIO_EXPECT(sem_init(&late.ready, 0, 0), 0);
    SCENARIO_EXPECT(sem_init(&late.cue, 0, 0), 0);
    SCENARIO_EXPECT(pthread_create(&late.thread, NULL, begin_late, NULL), 0);
    while (sem_wait(&late.ready) != 0)
        ;
    scenario_lock(me, 'A');
    sem_post(&late.cue);
    scenario_say("L1");
    scenario_unlock(me, 'A');
    SCENARIO_EXPECT(pthread_join(late.thread, NULL), 0);
    scenario_say("L2");
    scenario_cue(user);
}

static void be_a_user(struct actor *me)
{
    (void)me;
}

/* U only opens the lock, and stays until the end: IPCP's ceiling is its priority. */
static void sections_go_before_who_begins(fw_rt_protocol protocol)
{
    static struct actor a[] = {
        {.name = "L", .priority = 5, .locks = "A", .play = hold_while_one_begins},
        {.name = "U", .priority = 40, .locks = "A", .play = be_a_user}};
    bool asks_kernel = protocol == FW_RT_MPCP || protocol == FW_RT_FMLP;

    user = &a[1];
    scenario_play("one begins", protocol, a, 2,
                  asks_kernel ? "L?A L+A L1 L-A H1 H2 L2 " : "L?A L+A H1 L1 L-A H2 L2 ");
}

int main(void)
{
    static const fw_rt_protocol protocols[] = {FW_RT_IPCP, FW_RT_MPCP, FW_RT_MPCP_DU, FW_RT_FMLP,
                                               FW_RT_FMLP_DU};

    scenario_begin();
    the_priority_comes_first_and_goes_last();
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++)
        sections_go_before_who_begins(protocols[i]);
    return 0;
}
