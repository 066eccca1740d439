/* SPDX-License-Identifier: MIT */
/*
 * The thread id of a task that died in a section is given out anew, under every protocol of tier A:
 * to a process that has nothing to do with the group, or to one that becomes a task of it.  Who
 * comes for the lock is told of the death all the same, by trylock as well; and an internal lock of
 * the library's own that bears such an id is found.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/ipc/region.h>

#include "processes.h"
#include "rt/internal.h"

enum { LONGEST_S = 60, LOOK_US = 100, VICTIM = 20, LATER = 10 };

static char name[64], doing[100];
static fw_rt_group *group;
static fw_rt_protocol protocol;
static int cpu;

static struct {
    bool is_there;
} * here;

static bool is_set(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void set(bool *flag)
{
    __atomic_store_n(flag, true, __ATOMIC_RELEASE);
}

static fw_rt_task *begin(int priority)
{
    struct fw_rt_task_options options = {.cpu = cpu, .priority = priority};
    fw_rt_task *task;
    unsigned lock;
    int error = fw_rt_task_begin(&task, group, &options);

    if (error == EPERM)
        skip(fw_rt_strerror());
    if (error == 0)
        error = fw_rt_open(task, "lock", protocol, 0, &lock);
    if (error != 0 || lock != 0)
        fail("%s: %s (%s)", doing, strerror(error), fw_rt_strerror());
    return task;
}

static void expect_death(fw_rt_task *task, int error)
{
    if (error != EOWNERDEAD)
        fail("%s: %s (%s)", doing, error == 0 ? "nobody is told" : strerror(error),
             fw_rt_strerror());
    CHECK(fw_rt_unlock(task, 0) == 0);
}

static void die_in_a_section(void *unused)
{
    (void)unused;
    CHECK(fw_rt_lock(begin(VICTIM), 0) == 0);
    kill(getpid(), SIGKILL);
}

static void be_later(void *arg)
{
    const bool *is_told = arg;
    fw_rt_task *task = begin(LATER);

    if (*is_told)
        expect_death(task, fw_rt_trylock(task, 0));
    CHECK(fw_rt_lock(task, 0) == 0 && fw_rt_unlock(task, 0) == 0);
    CHECK(fw_rt_task_end(task) == 0);
}

/* A child with that id, as the kernel has it for those who restore processes (Linux 5.5). */
static pid_t start_as(pid_t id, void (*body)(void))
{
    struct {
        uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid,
            set_tid_size;
    } how = {.exit_signal = SIGCHLD, .set_tid = (uint64_t)(uintptr_t)&id, .set_tid_size = 1};
    long child = syscall(SYS_clone3, &how, sizeof how);

    if (child < 0 && (errno == EPERM || errno == ENOSYS || errno == E2BIG || errno == EINVAL))
        skip("the kernel lets nobody choose a process id");
    if (child < 0)
        fail("%s: clone3: %s", doing, strerror(errno));
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        body();
        set(&here->is_there);
        for (;;)
            pause();
    }
    while (!is_set(&here->is_there))
        usleep(LOOK_US);
    return (pid_t)child;
}

static void be_nobody(void) {}

static void be_a_task(void)
{
    fw_rt_task *task = begin(VICTIM);

    expect_death(task, fw_rt_lock(task, 0));
}

static pid_t play_death(void)
{
    pid_t victim = start(die_in_a_section, NULL);
    int status;

    CHECK(waitpid(victim, &status, 0) == victim);
    if (WIFEXITED(status))
        _exit(WEXITSTATUS(status));
    return victim;
}

static void open_group(const char *what)
{
    snprintf(doing, sizeof doing, "%s, %s", fw_rt_protocol_name(protocol), what);
    limit(LONGEST_S, doing);
    memset(here, 0, sizeof *here);
    snprintf(name, sizeof name, "/furwock-rt-reuse-%d", (int)getpid());
    CHECK(fw_rt_group_open(&group, name, FW_RT_TIER_A) == 0);
    fw_region_remove(name);
}

static void play(void (*body)(void), const char *what)
{
    bool is_told = body == be_nobody;
    pid_t squatter;

    open_group(what);
    squatter = start_as(play_death(), body);
    finish(start(be_later, &is_told));
    kill_and_wait(squatter);
    CHECK(fw_rt_group_close(group) == 0);
}

/* A task that died had internal locks, and others' words; those who come need all of them. */
static void play_guards(void)
{
    struct fw_rt_state *w;
    pid_t squatter;
    bool is_told = true;

    open_group("internal locks");
    w = group->state;
    squatter = start_as(play_death(), be_nobody);
    for (unsigned i = 0; i < FW_RT_TASKS; i++)
        w->task[i].record_lock = (uint32_t)squatter;
    for (unsigned i = 0; i < FW_RT_PROXIES; i++)
        w->proxy[i] = (uint32_t)squatter;
    w->lock[0].queue_lock = (uint32_t)squatter;
    finish(start(be_later, &is_told));
    kill_and_wait(squatter);
    CHECK(fw_rt_group_close(group) == 0);
}

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
    cpu = first_cpu();
    here = share(sizeof *here);
    for (protocol = FW_RT_PIP; protocol <= FW_RT_FMLP_DU; protocol++) {
        if (protocol == FW_RT_PCP_DU_PF ||
            (argc > 1 && strcmp(argv[1], fw_rt_protocol_name(protocol)) != 0))
            continue;
        play(be_nobody, "a stranger");
        play(be_a_task, "a task");
        play_guards();
    }
    return 0;
}
