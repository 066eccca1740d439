/* SPDX-License-Identifier: MIT */
/*
 * A group between processes that open it by its name, each at an address of its own.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <furwock/ipc/region.h>

#include "tasks.h"
#include "test/support/asleep.h"

enum { LOCKS = 4, WAITERS = 3 };

static char name[64];

static const struct {
    const char *name;
    fw_rt_protocol protocol;
} locks[LOCKS] = {
    {"pip", FW_RT_PIP}, {"pcp", FW_RT_PCP_DU}, {"mpcp", FW_RT_MPCP_DU}, {"fmlp", FW_RT_FMLP_DU}};

/* What the processes tell each other. */
static struct {
    uint32_t begun, turn; /* who begins beside a section waits for it: they begin before */
    uint32_t played;
    char play[LOCKS * (WAITERS + 1) + 1];
    uint32_t to_leave;
} * here;

static fw_rt_group *open_group(void)
{
    fw_rt_group *group;
    int error = fw_rt_group_open(&group, name, FW_RT_TIER_A);

    if (error != 0)
        fail("group: %s (%s)", strerror(error), fw_rt_strerror());
    CHECK(fw_rt_group_tier(group) == FW_RT_TIER_A);
    return group;
}

static fw_rt_task *begin(fw_rt_group *group, int priority, unsigned *lock)
{
    fw_rt_task *task = begin_task(group, NULL, cpus[0], priority, "");

    for (unsigned i = 0; i < LOCKS; i++)
        CHECK(fw_rt_open(task, locks[i].name, locks[i].protocol, 0, &lock[i]) == 0);
    return task;
}

static void log_event(char what)
{
    here->play[__atomic_fetch_add(&here->played, 1, __ATOMIC_SEQ_CST)] = what;
}

struct part {
    unsigned lock;
    int priority;
    uint32_t turn;
};

static void until(const uint32_t *word, uint32_t least)
{
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < least)
        usleep(LOOK_US);
}

/* It has begun, and comes when it is its turn: that of the first is when all have begun. */
static void wait_for_turn(const struct part *part)
{
    __atomic_fetch_add(&here->begun, 1, __ATOMIC_SEQ_CST);
    until(&here->begun, WAITERS + 1);
    until(&here->turn, part->turn);
}

static void be_holder(void *arg)
{
    const struct part *part = arg;
    fw_rt_group *group = open_group();
    unsigned lock[LOCKS];
    fw_rt_task *task = begin(group, part->priority, lock);

    wait_for_turn(part);
    CHECK(fw_rt_lock(task, lock[part->lock]) == 0);
    log_event('L');
    until(&here->to_leave, 1);
    CHECK(fw_rt_unlock(task, lock[part->lock]) == 0);
    CHECK(fw_rt_task_end(task) == 0 && fw_rt_group_close(group) == 0);
}

static void be_waiter(void *arg)
{
    const struct part *part = arg;
    fw_rt_group *group = open_group();
    unsigned lock[LOCKS];
    fw_rt_task *task = begin(group, part->priority, lock);

    wait_for_turn(part);
    CHECK(fw_rt_trylock(task, lock[part->lock]) == EBUSY);
    CHECK(fw_rt_lock(task, lock[part->lock]) == 0);
    log_event((char)('0' + part->priority / 10));
    CHECK(fw_rt_unlock(task, lock[part->lock]) == 0);
    CHECK(fw_rt_task_end(task) == 0 && fw_rt_group_close(group) == 0);
}

/* How many wait, or are about to sleep: in the queue, if the lock has one. */
static unsigned waiting(const struct fw_rt_state *w, unsigned lock)
{
    unsigned n = 0;

    if (fw_rt_is_boosting(w->lock[lock].kind))
        return (unsigned)__builtin_popcountll(
            __atomic_load_n(&w->lock[lock].waiters, __ATOMIC_RELAXED));

    for (unsigned i = 0; i < FW_RT_TASKS; i++)
        n += __atomic_load_n(&w->task[i].since, __ATOMIC_RELAXED) != 0;
    return n;
}

/* One has the lock, others come for it one after the other. */
static void hand_round(const struct fw_rt_state *w, unsigned lock)
{
    static const int priorities[WAITERS] = {20, 40, 30};
    struct part parts[WAITERS + 1] = {{lock, 5, 0}};
    pid_t process[WAITERS + 1];
    const char *order = locks[lock].protocol == FW_RT_FMLP_DU ? "L243" : "L432";

    memset(here, 0, sizeof *here);
    process[0] = start(be_holder, &parts[0]);
    for (unsigned i = 1; i <= WAITERS; i++) {
        parts[i] = (struct part){lock, priorities[i - 1], i};
        process[i] = start(be_waiter, &parts[i]);
    }
    until(&here->played, 1);
    for (unsigned i = 1; i <= WAITERS; i++) {
        __atomic_store_n(&here->turn, i, __ATOMIC_RELEASE);
        while (waiting(w, lock) < i || thread_state(process[i], process[i]) != 'S')
            usleep(LOOK_US);
    }
    __atomic_store_n(&here->to_leave, 1, __ATOMIC_RELEASE);
    for (unsigned i = 0; i <= WAITERS; i++)
        finish(process[i]);
    if (strcmp(here->play, order) != 0)
        fail("%s: %s, not %s", locks[lock].name, here->play, order);
}

/* A group without a path is not the child's, and a lock has one protocol in all processes. */
static void be_refused(void *arg)
{
    struct fw_rt_task_options options = {.cpu = cpus[0], .priority = 1};
    fw_rt_group *group = open_group();
    unsigned lock[LOCKS], other;
    fw_rt_task *task;

    CHECK(fw_rt_task_begin(&task, arg, &options) == EINVAL && fw_rt_strerror()[0] != '\0');
    task = begin(group, 1, lock);
    CHECK(fw_rt_open(task, "pip", FW_RT_MPCP, 0, &other) == EEXIST);
    CHECK(fw_rt_open(task, "pip", FW_RT_PIP, 0, &other) == 0 && other == lock[0]);
    CHECK(fw_rt_group_close(group) == EBUSY);
    CHECK(fw_rt_task_end(task) == 0 && fw_rt_group_close(group) == 0);
}

int main(void)
{
    fw_rt_group *group, *private_group;
    unsigned none[LOCKS];

    choose_cpus();
    become_director(); /* or skip, before there is a file */
    limit(LONGEST_S, "a group between processes");
    here = share(sizeof *here);
    snprintf(name, sizeof name, "/furwock-rt-process-%d", (int)getpid());
    group = open_group();
    CHECK(fw_rt_task_end(begin(group, 1, none)) == 0);
    for (unsigned lock = 0; lock < LOCKS; lock++)
        hand_round(group->state, lock);
    CHECK(fw_rt_group_open(&private_group, NULL, FW_RT_TIER_A) == 0);
    finish(start(be_refused, private_group));
    CHECK(fw_rt_group_close(private_group) == 0 && fw_rt_group_close(group) == 0);
    CHECK(fw_region_remove(name) == 0);
    return 0;
}
