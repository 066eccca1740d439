/* SPDX-License-Identifier: MIT */
/*
 * Death at every step, under every protocol of tier A: kill_at_step.h.  The victim is a process
 * that is killed, or a thread that ends without cleaning up; each run has a group as good as new.
 * Others hold the lock then, or wait for it; they must go on, and a task that finds the data half
 * changed has been told.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kill_at_step.h"
#include "tasks.h"

enum { VICTIM = 20, PEER = 30, WITNESS = 10 };

static fw_rt_group *group;
static struct fw_rt_state *state;
static bool are_threads;
static const char *victim_name;
static __thread fw_rt_task *self;

/* What all tasks share, and a run of the survivors makes anew. */
static struct {
    uint64_t a, b; /* equal, except while a task changes them */
    bool is_held, is_admitted, is_over;
} * data;

/* --- What a task does --- */

static void begin(const char *who, int priority)
{
    self = begin_task(group, who, cpus[0], priority, "a");
}

static void end(void)
{
    CHECK(fw_rt_task_end(self) == 0);
}

static void enter(void)
{
    int error = fw_rt_lock(self, 0);

    if (error == EOWNERDEAD)
        data->b = data->a;
    else if (error != 0)
        fail("lock: %s (%s)", strerror(error), fw_rt_strerror());
    fw_step_();
    if (data->a != data->b)
        fail("half changed, and nobody was told: step %u", shared->at);
    data->a++;
}

static void leave(void)
{
    fw_step_();
    data->b++;
    CHECK(fw_rt_unlock(self, 0) == 0);
}

static void enter_and_leave(void)
{
    enter();
    leave();
}

static void begin_victim(void)
{
    begin(victim_name, VICTIM);
}

static void begin_to_end(void)
{
    begin_victim();
    enter_and_leave();
    end();
}

/* Until the victim waits, or is dead. */
static void hold(void)
{
    begin("peer", PEER);
    enter();
    set(&data->is_held);
    peer_is_ready();
    while (!is_task_waiting(state, victim_name) && !is_set(&shared->is_over))
        usleep(LOOK_US);
    usleep(LOOK_US);
    leave();
    end();
}

static void lock_second(void)
{
    begin("peer", PEER);
    peer_is_ready();
    await_flag(&data->is_admitted);
    enter_and_leave();
    end();
}

/* As a task should that has slept: the sections of its CPU go first. */
static void wake_second(void)
{
    begin("peer", PEER);
    peer_is_ready();
    await_flag(&data->is_admitted);
    CHECK(fw_rt_resumed(self) == 0);
    enter_and_leave();
    end();
}

static void hold_and_admit_peer(void)
{
    begin_victim();
    enter();
    set(&data->is_admitted);
    while (!is_task_waiting(state, "peer"))
        usleep(LOOK_US);
    usleep(LOOK_US);
}

static void be_witness(void)
{
    begin("witness", WITNESS);
    enter_and_leave();
    CHECK(fw_rt_trylock(self, 0) == 0 && fw_rt_unlock(self, 0) == 0);
    end();
}

static void be_survivor(void)
{
    begin("survivor", VICTIM);
    enter_and_leave();
}

/* --- The runs --- */

static void reset(void)
{
    memset(data, 0, sizeof *data);
    victim_name = "victim";
    group = are_threads ? open_group_for(NULL, NULL) : open_shared_group_for(NULL);
    state = group->state;
}

/*
 * Nothing of the dead holds others up.  (Where a waiter has died, it may still be in the queue, or
 * in a proxy, until another task meets it there.)
 */
static void survive(void)
{
    const struct fw_rt_lock_record *l = &state->lock[0];
    struct kill_actor witness, holder, waiter;

    if (!shared->is_alone)
        return;
    kill_actor_start(&witness, be_witness);
    kill_actor_finish(&witness);
    if (l->counter != 0 || (protocol == FW_RT_PIP && l->pi_word != 0))
        fail("step %u: word %x, proxy %x", shared->at, l->counter, l->pi_word);
    memset(data, 0, sizeof *data);
    shared->is_over = false;
    victim_name = "survivor"; /* the victim's record is not its own any more */
    kill_actor_start(&holder, hold);
    await_flag(&data->is_held);
    kill_actor_start(&waiter, be_survivor);
    kill_actor_finish(&holder);
    kill_actor_finish(&waiter);
}

static void close_group(void)
{
    if (!are_threads) /* it counts those that have died in this process */
        CHECK(fw_rt_group_close(group) == 0);
}

static const struct kill_case cases[] = {
    {"alone", reset, NULL, begin_victim, enter_and_leave, NULL, survive, ANY_CHANGES},
    {"held", reset, hold, begin_victim, enter_and_leave, NULL, survive, ANY_CHANGES},
    {"awaited", reset, lock_second, hold_and_admit_peer, leave, NULL, survive, ANY_CHANGES},
    {"awaited by a task that wakes", reset, wake_second, hold_and_admit_peer, leave, NULL, survive,
     ANY_CHANGES},
    {"begin to end", reset, NULL, NULL, begin_to_end, NULL, survive, ANY_CHANGES},
    {.name = NULL}};

static unsigned deaths;

static void kill_each(void)
{
    struct kill_table t = {
        .name = fw_rt_protocol_name(protocol), .cases = cases, .after = close_group};

    t.endings = KILL_ENDING(are_threads ? THREAD_EXITS : KILLED);
    deaths += kill_at_each_step(&t, NULL);
}

int main(int argc, char **argv)
{
    struct sched_param director = {.sched_priority = FW_RT_BOOST_MOST};
    const char *only = argc > 1 ? argv[1] : NULL;

    /*
     * And whatever it starts, until that is a task: they do not wait for what else runs here.
     * If that is refused, tasks find it out, or it takes longer.
     */
    sched_setscheduler(0, SCHED_FIFO, &director);
    choose_cpus();
    data = share(sizeof *data);
    under_each_protocol(only, kill_each);
    /* Threads second: what the dead leave behind makes each fork slower. */
    are_threads = true;
    if (!is_constrained) /* a sanitizer wants to be told when a thread ends */
        under_each_protocol(only, kill_each);
    printf("%u deaths\n", deaths);
    return 0;
}
