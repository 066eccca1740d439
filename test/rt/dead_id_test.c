/* SPDX-License-Identifier: MIT */
/*
 * The thread id of a task that died in a section lives on, under every protocol of tier A: its
 * process has called exec, and the new program runs on, with the id or (if another thread than the
 * first called exec) without it; or the id was given out anew, to a process that has nothing to do
 * with the group, or to one that becomes a task of it.  A waiter, and whoever comes for the lock
 * later, is told of the death all the same, by trylock as well; and an internal lock of the
 * library's own that bears such an id is found.
 *
 *     test_rt_dead_id [PROTOCOL]
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <furwock/ipc/region.h>

#include "tasks.h"

enum { VICTIM = 20, WAITER = 30, LATER = 10 };

static fw_rt_group *group;
static char name[64];

static struct {
    bool has_begun, is_in, may_call, has_waiter, is_there;
} * here;

static fw_rt_task *begin(int priority)
{
    return begin_task(group, NULL, cpus[0], priority, "a");
}

/* A death is told once. */
static void be_later(void *is_to_be_told)
{
    fw_rt_task *task = begin(LATER);

    if (*(bool *)is_to_be_told)
        expect_death(task, fw_rt_trylock(task, 0));
    CHECK(fw_rt_lock(task, 0) == 0 && fw_rt_unlock(task, 0) == 0);
    CHECK(fw_rt_task_end(task) == 0);
}

static void open_group(const char *what)
{
    memset(here, 0, sizeof *here);
    group = open_group_for(name, what);
}

/* `with_its_id` lives until this is over. */
static void close_group(pid_t with_its_id, bool is_to_be_told)
{
    finish(start(be_later, &is_to_be_told));
    kill_and_wait(with_its_id);
    CHECK(fw_region_remove(name) == 0);
    CHECK(fw_rt_group_close(group) == 0);
}

/* --- exec: in the new program --- */

/* `again`: it becomes a task of the group itself. */
static int go_on(bool again)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (again) {
        CHECK(fw_rt_group_open(&group, name, FW_RT_TIER_A) == 0);
        begin(VICTIM);
    }
    CHECK(write(STDOUT_FILENO, "!", 1) == 1);
    for (;;)
        pause();
}

/* --- exec: before, and beside it --- */

static const struct scenario {
    const char *name;
    bool is_other_thread, has_waiter, is_task_again;
} scenarios[] = {
    {.name = "exec in the first thread"},
    {.name = "exec in the first thread, awaited", .has_waiter = true},
    {.name = "exec in another thread", .is_other_thread = true},
    {.name = "exec in another thread, awaited", .is_other_thread = true, .has_waiter = true},
    {.name = "exec, and a task again", .is_task_again = true},
};

static const struct scenario *now;
static int pipe_ends[2];

static void *call_exec(void *unused)
{
    fw_rt_task *task = begin(VICTIM);
    char number[12], on[12];

    (void)unused;
    snprintf(number, sizeof number, "%d", (int)protocol);
    snprintf(on, sizeof on, "%d", cpus[0]);
    CHECK(fw_rt_lock(task, 0) == 0);
    set(&here->is_in);
    await_flag(&here->may_call);
    execl("/proc/self/exe", "test_rt_dead_id", "--go-on", name, now->is_task_again ? "again" : "",
          number, on, (char *)NULL);
    fail("exec: %s", strerror(errno));
}

static void be_victim(void *unused)
{
    pthread_t thread;

    CHECK(dup2(pipe_ends[1], STDOUT_FILENO) == STDOUT_FILENO);
    if (!now->is_other_thread)
        call_exec(unused);
    CHECK(pthread_create(&thread, NULL, call_exec, unused) == 0);
    for (;;)
        pause();
}

static void be_waiter(void *unused)
{
    fw_rt_task *task = begin(WAITER);

    (void)unused;
    set(&here->has_begun); /* who begins beside a section waits for it */
    await_flag(&here->is_in);
    CHECK(fw_rt_trylock(task, 0) == EBUSY);
    set(&here->has_waiter);
    expect_death(task, fw_rt_lock(task, 0));
    CHECK(fw_rt_task_end(task) == 0);
}

static void play_exec(void)
{
    pid_t victim, waiter = 0;
    char sign;

    open_group(now->name);
    CHECK(pipe(pipe_ends) == 0);
    if (now->has_waiter) {
        waiter = start(be_waiter, NULL);
        await_flag(&here->has_begun);
    }
    victim = start(be_victim, NULL);
    close(pipe_ends[1]);
    await_flag(&here->is_in);
    if (now->has_waiter) {
        await_flag(&here->has_waiter);
        while (!is_task_waiting(group->state, NULL))
            usleep(LOOK_US);
    }
    set(&here->may_call);
    CHECK(read(pipe_ends[0], &sign, 1) == 1); /* the new program is there */
    close(pipe_ends[0]);
    if (now->has_waiter)
        finish(waiter);
    close_group(victim, !now->has_waiter);
}

/* --- An id that is given out anew --- */

static void die_in_a_section(void *unused)
{
    (void)unused;
    CHECK(fw_rt_lock(begin(VICTIM), 0) == 0);
    kill(getpid(), SIGKILL);
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
    await_flag(&here->is_there);
    return (pid_t)child;
}

static void be_nobody(void) {}

static void be_a_task(void)
{
    fw_rt_task *task = begin(VICTIM);

    expect_death(task, fw_rt_lock(task, 0));
}

/* A task that died had internal locks, and others' words; those who come need all of them. */
static void leave_internal_locks(pid_t owner)
{
    struct fw_rt_state *w = group->state;

    for (unsigned i = 0; i < FW_RT_TASKS; i++)
        w->task[i].record_lock = (uint32_t)owner;
    for (unsigned i = 0; i < FW_RT_PROXIES; i++)
        w->proxy[i] = (uint32_t)owner;
    w->lock[0].queue_lock = (uint32_t)owner;
}

static void play_reuse(const char *what, void (*body)(void), bool with_internal_locks)
{
    pid_t squatter;

    open_group(what);
    squatter = start_as(play_death(), body);
    if (with_internal_locks)
        leave_internal_locks(squatter);
    close_group(squatter, body == be_nobody);
}

static void play_execs(void)
{
    for (now = scenarios; now < scenarios + sizeof scenarios / sizeof *scenarios; now++)
        play_exec();
}

static void play_reuses(void)
{
    play_reuse("the id is a stranger's", be_nobody, false);
    play_reuse("the id is a task's", be_a_task, false);
    play_reuse("internal locks", be_nobody, true);
}

int main(int argc, char **argv)
{
    const char *only = argc == 2 ? argv[1] : NULL;

    if (argc == 6 && strcmp(argv[1], "--go-on") == 0) {
        snprintf(name, sizeof name, "%s", argv[2]);
        protocol = (fw_rt_protocol)atoi(argv[4]);
        cpus[0] = atoi(argv[5]);
        return go_on(argv[3][0] != '\0');
    }
    need_priorities(); /* which the victim could not say */
    choose_cpus();
    snprintf(name, sizeof name, "/furwock-rt-dead-id-%d", (int)getpid());
    here = share(sizeof *here);
    under_each_protocol(only, play_execs);
    under_each_protocol(only, play_reuses);
    return 0;
}
