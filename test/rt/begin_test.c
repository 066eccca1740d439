/* SPDX-License-Identifier: MIT */
/*
 * How a thread becomes a task beside tasks that run: it never waits for one that is less urgent,
 * except for sections that outrank it.  (The program is linked with --wrap for the calls.)
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "rt/internal.h"
#include "test/rt/scenario.h"

int __real_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);
int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);
int __real_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set);
int __wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set);
int __real_sched_setscheduler(pid_t pid, int policy, const struct sched_param *param);
int __wrap_sched_setscheduler(pid_t pid, int policy, const struct sched_param *param);

/* Bytes of a set on a machine with 5000 CPUs. */
enum { LEAST = 5000 / 8 };

static bool is_large;
static size_t given_back;

int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    if (!is_large || size >= LEAST)
        return __real_sched_getaffinity(pid, size, set);
    errno = EINVAL;
    return -1;
}

static bool is_recording;
static char calls[16]; /* the main thread's, a letter each: C for its CPUs, P for its policy */

static void record(char what)
{
    size_t n = strlen(calls);

    CHECK(!is_recording || n < sizeof calls - 1);
    if (is_recording)
        calls[n] = what;
}

int __wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
    record('C');
    given_back = size;
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
    struct fw_rt_task_options o = {.cpu = cpus[0], .priority = 7};
    fw_rt_group *group;
    fw_rt_task *task;

    EXPECT(fw_rt_group_open(&group, NULL, FW_RT_TIER_A), 0);
    is_recording = true;
    EXPECT(fw_rt_task_begin(&task, group, &o), 0);
    CHECK(strcmp(calls, "PC") == 0);
    memset(calls, 0, sizeof calls);
    EXPECT(fw_rt_task_end(task), 0);
    CHECK(strcmp(calls, "CP") == 0);
    is_recording = false;
    EXPECT(fw_rt_group_close(group), 0);
}

/* --- Its thread gets back its CPUs where their sets are larger than the C library's --- */

static void the_cpus_are_given_back(void)
{
    struct fw_rt_task_options o = {.cpu = cpus[0], .priority = 3};
    cpu_set_t before, after;
    fw_rt_group *group;
    fw_rt_task *task;

    memset(&after, 0, sizeof after);
    CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
    EXPECT(fw_rt_group_open(&group, NULL, FW_RT_TIER_A), 0);
    is_large = true;
    EXPECT(fw_rt_task_begin(&task, group, &o), 0);
    EXPECT(fw_rt_task_end(task), 0);
    is_large = false;
    CHECK(given_back >= LEAST);
    CHECK(sched_getaffinity(0, sizeof after, &after) == 0);
    CHECK(CPU_EQUAL(&before, &after));
    EXPECT(fw_rt_group_close(group), 0);
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

    CHECK(__real_sched_setscheduler(0, SCHED_FIFO, &param) == 0);
    move_to(cpus[0]);
}

static void *begin_late(void *arg)
{
    struct fw_rt_task_options o = {.name = "H", .cpu = cpus[0], .priority = 30};
    fw_rt_task *task;

    (void)arg;
    be_urgent(o.priority);
    sem_post(&late.ready);
    while (sem_wait(&late.cue) != 0)
        ;
    scenario_say("H1");
    EXPECT(fw_rt_task_begin(&task, late.group, &o), 0);
    scenario_say("H2");
    EXPECT(fw_rt_task_end(task), 0);
    return NULL;
}

static void hold_while_one_begins(struct actor *me)
{
    late.group = me->task->group;
    EXPECT(sem_init(&late.ready, 0, 0), 0);
    EXPECT(sem_init(&late.cue, 0, 0), 0);
    EXPECT(pthread_create(&late.thread, NULL, begin_late, NULL), 0);
    while (sem_wait(&late.ready) != 0)
        ;
    scenario_lock(me, 'A');
    sem_post(&late.cue);
    scenario_say("L1");
    scenario_unlock(me, 'A');
    EXPECT(pthread_join(late.thread, NULL), 0);
    scenario_say("L2");
    scenario_cue(user);
}

static void be_a_user(struct actor *me)
{
    (void)me;
}

/* U only opens the lock, and stays until the end: IPCP's ceiling is its priority. */
static void sections_go_before_who_begins(fw_rt_protocol under)
{
    static struct actor a[] = {
        {.name = "L", .priority = 5, .locks = "A", .play = hold_while_one_begins},
        {.name = "U", .priority = 40, .locks = "A", .play = be_a_user}};
    bool asks_kernel = under == FW_RT_MPCP || under == FW_RT_FMLP;

    user = &a[1];
    scenario_play("one begins", under, a, 2,
                  asks_kernel ? "L?A L+A L1 L-A H1 H2 L2 " : "L?A L+A H1 L1 L-A H2 L2 ");
}

int main(void)
{
    static const fw_rt_protocol protocols[] = {FW_RT_IPCP, FW_RT_MPCP, FW_RT_MPCP_DU, FW_RT_FMLP,
                                               FW_RT_FMLP_DU};

    scenario_begin();
    the_priority_comes_first_and_goes_last();
    the_cpus_are_given_back();
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++)
        sections_go_before_who_begins(protocols[i]);
    return 0;
}
