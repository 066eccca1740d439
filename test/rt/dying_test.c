/* SPDX-License-Identifier: MIT */
/*
 * A task is killed in its section, and takes long to end: the kernel has marked its record as dead,
 * and not yet handed the lock to the one who sleeps there (PIP).  Another that comes in between
 * does not take the lock over.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "sys/robust.h"
#include "tasks.h"

/* The kernel looks at 2048 words of a thread at most. */
enum { VICTIM = 20, WAITER = 30, NEWCOMER = 10, ROUNDS = 40, WORDS = 2000, PAGE = 4096 };

static fw_rt_group *group;

static struct {
    bool is_in, is_awaited;
    uint32_t inside;
} * here;

/* Words of the thread, through which the kernel goes after those of the task's record. */
static void make_the_end_long(void)
{
    char *words = share((size_t)WORDS * PAGE);

    for (size_t i = 0; i < WORDS; i++) {
        uint32_t *word = (uint32_t *)(void *)(words + i * PAGE);
        *word = fw_robust_self_() | FW_ROBUST_WAITERS;
        if (!fw_robust_link_(word))
            skip("the kernel keeps no list of a thread's words");
    }
}

static void be_victim(void *unused)
{
    (void)unused;
    make_the_end_long();
    CHECK(fw_rt_lock(begin_task(group, "victim", cpus[0], VICTIM, "a"), 0) == 0);
    set(&here->is_in);
    for (;;)
        pause();
}

static void stay_alone(fw_rt_task *task)
{
    CHECK(__atomic_exchange_n(&here->inside, task->tid, __ATOMIC_SEQ_CST) == 0);
    usleep(1000);
    CHECK(__atomic_exchange_n(&here->inside, 0, __ATOMIC_SEQ_CST) == task->tid);
    CHECK(fw_rt_unlock(task, 0) == 0);
}

static void be_waiter(void *unused)
{
    fw_rt_task *task = begin_task(group, "waiter", cpus[0], WAITER, "a");

    (void)unused;
    CHECK(fw_rt_lock(task, 0) == EOWNERDEAD);
    stay_alone(task);
    CHECK(fw_rt_task_end(task) == 0);
}

static const struct fw_rt_task_record *record_of_victim(void)
{
    const struct fw_rt_state *state = group->state;

    for (unsigned i = 0; i < FW_RT_TASKS; i++)
        if (strcmp(state->task[i].name, "victim") == 0)
            return &state->task[i];
    fail("no victim in the group");
}

static void be_newcomer(void *unused)
{
    fw_rt_task *task = begin_task(group, "newcomer", cpus[1], NEWCOMER, "a");
    const struct fw_rt_task_record *victim = record_of_victim();
    int error;

    (void)unused;
    set(&here->is_awaited);
    while (fw_rt_liveness_(victim) != FW_RT_IS_DEAD)
        ;
    while ((error = fw_rt_trylock(task, 0)) == EBUSY)
        usleep(LOOK_US);
    CHECK(error == 0); /* the waiter has been told */
    stay_alone(task);
    CHECK(fw_rt_task_end(task) == 0);
}

int main(void)
{
    choose_cpus();
    become_director();
    if (!has_two_cpus())
        skip("one CPU only");
    protocol = FW_RT_PIP;
    here = share(sizeof *here);
    for (unsigned i = 0; i < ROUNDS; i++) {
        pid_t victim, waiter, newcomer;
        memset(here, 0, sizeof *here);
        group = open_shared_group_for("a long end");
        victim = start(be_victim, NULL);
        await_flag(&here->is_in);
        waiter = start(be_waiter, NULL);
        while (!is_task_waiting(group->state, "waiter"))
            usleep(LOOK_US);
        await_child_asleep(waiter);
        newcomer = start(be_newcomer, NULL);
        await_flag(&here->is_awaited);
        kill_and_wait(victim);
        finish(waiter);
        finish(newcomer);
        CHECK(fw_rt_group_close(group) == 0);
    }
    return 0;
}
