/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_RT_SIM_TIER_A_H
#define FW_TEST_RT_SIM_TIER_A_H

#include <stdlib.h>

#include "play.h"
#include "rt/decide.h"

/*
 * A machine that asks rt/decide.h as tasks do on their own behalf (tier A).  The kernel knows of
 * base priorities, of those that it is told to raise, and of what is lent at proxies; a task that
 * wakes up in the library looks whom it has to let go first (fw_rt_ahead), and a task that waits
 * for a section does so at a proxy, and looks again afterwards.  How proxies work: test/model.
 * Included by subject.c, and so compiled for each copy of rt/decide.h.
 */
#define TIER_A_RAISED 1000000000L

struct tier_a_task {
    bool active;
    bool is_queued;
    bool looks;      /* it has woken up in the library */
    int claims;      /* the lock that was handed to it before it ran again, or -1 */
    int behind_task; /* at whose proxy it waits, and for which lock to be left; or -1 */
    int behind_lock;
    long raised; /* its kernel priority, where it is raised; else 0 */
};

struct tier_a {
    const struct sim_set *set;
    const char *wrong;
    int owner[SIM_LOCKS]; /* locks with queues */
    struct tier_a_task task[SIM_TASKS];
    struct fw_rt_state state;
};

/* The tasks and locks of a set, as a group has them when all tasks have begun. */
static void state_begin(struct fw_rt_state *w, const struct sim_set *set)
{
    w->tasks = (uint32_t)set->tasks;
    w->locks = (uint32_t)set->locks;
    for (int t = 0; t < set->tasks; t++) {
        w->task[t].base = (uint32_t)set->task[t].base;
        w->task[t].cpu = (uint32_t)set->task[t].cpu;
        w->task[t].state = FW_RT_LIVE;
    }
    for (int d = 0; d < set->locks; d++) {
        w->lock[d].kind = set->kind;
        for (int t = 0; t < set->tasks; t++)
            if (sim_uses(set, t, d))
                fw_rt_add_user(&w->lock[d], w->task[t].base, w->task[t].cpu);
    }
}

static void *tier_a_begin(const struct sim_set *set)
{
    struct tier_a *g = aligned_alloc(64, (sizeof *g + 63) / 64 * 64);

    if (g == NULL)
        abort();
    *g = (struct tier_a){.set = set};
    for (int t = 0; t < set->tasks; t++)
        g->task[t].claims = g->task[t].behind_task = -1;
    for (int d = 0; d < set->locks; d++)
        g->owner[d] = -1;
    state_begin(&g->state, set);
    return g;
}

static void tier_a_end(void *me)
{
    free(me);
}

static void tier_a_wake(void *me, int t)
{
    struct tier_a *g = me;

    g->task[t].active = g->task[t].looks = true;
    g->state.task[t].ready = 1;
}

static void tier_a_sleep(void *me, int t)
{
    struct tier_a *g = me;

    g->task[t].active = false;
    g->state.task[t].ready = 0;
}

static void tier_a_wait(struct tier_a *g, int t, struct fw_rt_obstacle o)
{
    if (o.task >= (uint32_t)g->set->tasks || o.task == (uint32_t)t ||
        (g->state.task[o.task].held & fw_rt_bit(o.lock)) == 0) {
        g->wrong = "the obstacle is none";
        return;
    }
    g->task[t].behind_task = (int)o.task;
    g->task[t].behind_lock = (int)o.lock;
}

/* What the kernel makes of a task: also what those who wait at its proxies lend it. */
static long tier_a_priority(const struct tier_a *g, int t, int depth)
{
    long best = g->set->task[t].base;

    if (g->task[t].raised > best)
        best = g->task[t].raised;
    for (int i = 0; i < g->set->tasks && depth < g->set->tasks; i++) {
        if (g->task[i].behind_task == t) {
            long lent = tier_a_priority(g, i, depth + 1);

            best = lent > best ? lent : best;
        }
    }
    return best;
}

static int tier_a_pick(const struct tier_a *g, int cpu)
{
    int best = -1;
    long highest = 0;

    for (int t = 0; t < g->set->tasks; t++) {
        const struct tier_a_task *it = &g->task[t];
        long p;

        if (g->set->task[t].cpu != cpu || !it->active || it->is_queued || it->behind_task >= 0)
            continue;
        p = tier_a_priority(g, t, 0);
        if (best < 0 || p > highest ||
            (p == highest && g->set->task[t].base > g->set->task[best].base)) {
            best = t;
            highest = p;
        }
    }
    return best;
}

static int tier_a_runs(void *me, int cpu)
{
    struct tier_a *g = me;

    for (;;) {
        int t = tier_a_pick(g, cpu);
        struct fw_rt_obstacle o;

        if (t < 0 || !g->task[t].looks || g->wrong != NULL)
            return t;
        if (g->task[t].claims >= 0)
            g->state.task[t].held |= fw_rt_bit((uint32_t)g->task[t].claims);
        g->task[t].claims = -1;
        o = fw_rt_ahead(&g->state, (uint32_t)t);
        if (o.lock == FW_RT_NONE)
            g->task[t].looks = false;
        else
            tier_a_wait(g, t, o);
    }
}

static bool tier_a_lock_with_queue(struct tier_a *g, int t, int d)
{
    struct fw_rt_task_record *c = &g->state.task[t];
    struct fw_rt_lock_record *l = &g->state.lock[d];

    c->stamp = ++g->state.cpu[c->cpu].clock;
    if (l->counter++ == 0) {
        g->owner[d] = t;
        c->held |= fw_rt_bit((uint32_t)d);
        return true;
    }
    l->waiters |= fw_rt_bit((uint32_t)t);
    c->ticket = ++l->tickets;
    c->ready = 0;
    g->task[t].is_queued = true;
    g->task[t].raised =
        TIER_A_RAISED + (l->kind == FW_RT_KIND_MPCP ? (long)fw_rt_remote_ceiling(l, c->cpu)
                                                    : TIER_A_RAISED - (long)c->stamp);
    return false;
}

static bool tier_a_lock(void *me, int t, int d)
{
    struct tier_a *g = me;
    struct fw_rt_obstacle o;

    if (fw_rt_is_boosting(g->set->kind))
        return g->owner[d] == t || tier_a_lock_with_queue(g, t, d);
    g->state.task[t].held |= fw_rt_bit((uint32_t)d);
    o = fw_rt_obstacle(&g->state, (uint32_t)t, (uint32_t)d);
    if (o.lock == FW_RT_NONE)
        return true;
    g->state.task[t].held &= ~fw_rt_bit((uint32_t)d);
    tier_a_wait(g, t, o);
    return false;
}

static void tier_a_hand_over(struct tier_a *g, int d)
{
    struct fw_rt_lock_record *l = &g->state.lock[d];
    uint32_t next = fw_rt_next_waiter(&g->state, (uint32_t)d);

    if (next >= (uint32_t)g->set->tasks) {
        g->wrong = "there are waiters, and none of them is next";
        return;
    }
    l->waiters &= ~fw_rt_bit(next);
    g->owner[d] = (int)next;
    g->state.task[next].ready = 1;
    g->task[next].is_queued = false;
    g->task[next].looks = true;
    g->task[next].claims = d;
}

static void tier_a_unlock(void *me, int t, int d)
{
    struct tier_a *g = me;

    g->state.task[t].held &= ~fw_rt_bit((uint32_t)d);
    g->owner[d] = -1;
    if (fw_rt_is_boosting(g->set->kind) && g->state.lock[d].counter-- != 1)
        tier_a_hand_over(g, d);
    if (g->task[t].raised != 0)
        g->task[t].looks = true; /* it may have gone before a section that outranks it now */
    g->task[t].raised = 0;
    for (int i = 0; i < g->set->tasks; i++) {
        if (g->task[i].behind_task == t && g->task[i].behind_lock == d)
            g->task[i].behind_task = -1;
    }
}

static const char *tier_a_wrong(void *me)
{
    struct tier_a *g = me;

    return g->wrong;
}

static const struct sim_rules tier_a_rules = {
    .name = "proxies",
    .begin = tier_a_begin,
    .end = tier_a_end,
    .wake = tier_a_wake,
    .sleep = tier_a_sleep,
    .lock = tier_a_lock,
    .unlock = tier_a_unlock,
    .runs = tier_a_runs,
    .wrong = tier_a_wrong,
};

#endif
