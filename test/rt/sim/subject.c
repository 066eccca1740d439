/* SPDX-License-Identifier: MIT */
#include "subject.h"

#include <stdlib.h>

#include "rt/decide.h"
#include "tier_a.h"

/*
 * A machine that asks rt/decide.h as a scheduler with lock pages does (tier B).  The same text is
 * compiled for each faulty copy of that header; SIM_SUBJECT names the result.
 */
#ifndef SIM_SUBJECT
#define SIM_SUBJECT sim_shipped
#define SIM_NAME "decide.h"
#endif

/* What a task and the scheduler tell each other: the paper's lock page. */
struct page {
    uint64_t held;
    bool can_lock, unlock_call, unlocked;
};

struct machine {
    const struct sim_set *set;
    bool eager;
    const char *wrong;
    int running[SIM_CPUS];
    int owner[SIM_LOCKS]; /* locks with queues */
    struct page page[SIM_TASKS];
    struct fw_rt_state state;
};

static struct fw_rt_task_record *record_of(struct machine *m, int t)
{
    return &m->state.task[t];
}

static void *machine_begin(const struct sim_set *set)
{
    struct machine *m = aligned_alloc(64, (sizeof *m + 63) / 64 * 64);

    if (m == NULL)
        abort();
    *m = (struct machine){.set = set};
    for (int c = 0; c < SIM_CPUS; c++)
        m->running[c] = -1;
    for (int d = 0; d < set->locks; d++)
        m->owner[d] = -1;
    state_begin(&m->state, set);
    return m;
}

static void *machine_begin_eager(const struct sim_set *set)
{
    struct machine *m = machine_begin(set);

    m->eager = true;
    return m;
}

static void machine_end(void *me)
{
    free(me);
}

static void take_note(struct machine *m, int t)
{
    fw_rt_note(&m->state, (uint32_t)t, m->page[t].held, m->page[t].unlocked);
    m->page[t].unlocked = false;
}

static void schedule(struct machine *m, int cpu)
{
    struct fw_rt_pick pick;
    struct page *page;

    if (m->running[cpu] >= 0)
        take_note(m, m->running[cpu]);
    pick = fw_rt_dispatch(&m->state, (uint32_t)cpu);
    m->running[cpu] = pick.task == FW_RT_NONE ? -1 : (int)pick.task;
    if (m->running[cpu] < 0)
        return;
    if (m->running[cpu] >= m->set->tasks) {
        m->running[cpu] = -1;
        m->wrong = "a task is dispatched that is not there";
        return;
    }
    page = &m->page[pick.task];
    if (pick.granted != 0)
        page->held |= fw_rt_bit(pick.granted - 1);
    page->can_lock = fw_rt_can_lock(&m->state, pick.task);
    page->unlock_call = fw_rt_is_waited_for(&m->state, pick.task);
}

static void machine_wake(void *me, int t)
{
    struct machine *m = me;

    record_of(m, t)->ready = 1;
    schedule(m, m->set->task[t].cpu);
}

static void machine_sleep(void *me, int t)
{
    struct machine *m = me;

    record_of(m, t)->ready = 0;
    schedule(m, m->set->task[t].cpu);
}

/* Listing 3: by a counter, and a queue behind it.  A task that stands in it is not ready. */
static bool lock_with_queue(struct machine *m, int t, int d)
{
    struct fw_rt_lock_record *l = &m->state.lock[d];
    struct fw_rt_task_record *c = record_of(m, t);

    m->page[t].held |= fw_rt_bit((uint32_t)d);
    if (l->counter++ == 0) {
        m->owner[d] = t;
        if (m->eager)
            schedule(m, m->set->task[t].cpu);
        return true;
    }
    l->waiters |= fw_rt_bit((uint32_t)t);
    c->ticket = ++l->tickets;
    c->request = (uint32_t)d + 1;
    c->ready = 0;
    schedule(m, m->set->task[t].cpu);
    return false;
}

static void unlock_with_queue(struct machine *m, int t, int d)
{
    struct fw_rt_lock_record *l = &m->state.lock[d];
    uint32_t next = FW_RT_NONE;

    m->page[t].held &= ~fw_rt_bit((uint32_t)d);
    m->page[t].unlocked = true;
    m->owner[d] = -1;
    if (l->counter-- != 1) {
        next = fw_rt_next_waiter(&m->state, (uint32_t)d);
        if (next >= (uint32_t)m->set->tasks) {
            m->wrong = "there are waiters, and none of them is next";
            return;
        }
        l->waiters &= ~fw_rt_bit(next);
        m->owner[d] = (int)next;
        m->state.task[next].request = 0;
        m->state.task[next].ready = 1;
    }
    if (next != FW_RT_NONE || m->page[t].unlock_call || m->eager)
        schedule(m, m->set->task[t].cpu);
    if (next != FW_RT_NONE)
        schedule(m, m->set->task[next].cpu);
}

static bool machine_lock(void *me, int t, int d)
{
    struct machine *m = me;
    struct page *page = &m->page[t];

    if (fw_rt_is_boosting(m->set->kind))
        return m->owner[d] == t || lock_with_queue(m, t, d);
    if (page->held & fw_rt_bit((uint32_t)d))
        return true;
    if (!m->eager && page->can_lock && fw_rt_has_ceiling(m->set->kind)) {
        page->held |= fw_rt_bit((uint32_t)d);
        return true;
    }
    record_of(m, t)->request = (uint32_t)d + 1;
    schedule(m, m->set->task[t].cpu);
    return (page->held & fw_rt_bit((uint32_t)d)) != 0;
}

static void machine_unlock(void *me, int t, int d)
{
    struct machine *m = me;

    if (fw_rt_is_boosting(m->set->kind)) {
        unlock_with_queue(m, t, d);
        return;
    }
    m->page[t].held &= ~fw_rt_bit((uint32_t)d);
    m->page[t].unlocked = true;
    if (m->page[t].unlock_call || m->eager)
        schedule(m, m->set->task[t].cpu);
}

static int machine_runs(void *me, int cpu)
{
    struct machine *m = me;

    return m->running[cpu];
}

static const char *machine_wrong(void *me)
{
    struct machine *m = me;

    return m->wrong;
}

#define MACHINE(name_, begin_)                                                        \
    {                                                                                 \
        .name = (name_), .begin = (begin_), .end = machine_end, .wake = machine_wake, \
        .sleep = machine_sleep, .lock = machine_lock, .unlock = machine_unlock,       \
        .runs = machine_runs, .wrong = machine_wrong                                  \
    }
static const struct sim_rules deferred = MACHINE("deferred", machine_begin);
static const struct sim_rules eager = MACHINE("eager", machine_begin_eager);

const struct sim_subject SIM_SUBJECT = {
    SIM_NAME, {[SIM_EAGER] = &eager, [SIM_DEFERRED] = &deferred, [SIM_TIER_A] = &tier_a_rules}};
