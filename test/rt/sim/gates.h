/* SPDX-License-Identifier: MIT */
#ifndef FW_TEST_RT_SIM_GATES_H
#define FW_TEST_RT_SIM_GATES_H

#include <stdlib.h>

#include "play.h"
#include "rt/decide.h"

/*
 * A machine that asks rt/decide.h as tasks do on their own behalf (tier A).  The kernel knows of
 * base priorities, of those that it is told to raise, and of what is lent at gates; whoever wakes
 * up in the library looks whom it has to let go first (fw_rt_ahead), and whoever waits for a
 * section does so at a gate, and looks again afterwards.  How gates work: test/model.  Included by
 * subject.c, and so compiled for each copy of rt/decide.h.
 */
#define GATES_RAISED 1000000000L

struct gates_task {
    bool active;
    bool in_line;
    bool looks;      /* it has woken up in the library */
    int claims;      /* the lock that was handed to it before it ran again, or -1 */
    int behind_task; /* at whose gate it waits, and for which lock to be left; or -1 */
    int behind_lock;
    long raised; /* its kernel priority, where it is raised; else 0 */
};

struct gates {
    const struct sim_set *set;
    const char *wrong;
    int owner[SIM_LOCKS]; /* locks with lines */
    struct gates_task task[SIM_TASKS];
    struct fw_rt_world world;
};

static void *gates_begin(const struct sim_set *set)
{
    struct gates *g = aligned_alloc(64, (sizeof *g + 63) / 64 * 64);

    if (g == NULL)
        abort();
    *g = (struct gates){.set = set};
    for (int t = 0; t < set->tasks; t++) {
        g->task[t].claims = g->task[t].behind_task = -1;
        g->world.task[t].base = (uint32_t)set->task[t].base;
        g->world.task[t].cpu = (uint32_t)set->task[t].cpu;
        g->world.task[t].state = FW_RT_LIVE;
    }
    for (int d = 0; d < set->locks; d++) {
        g->owner[d] = -1;
        g->world.lock[d].kind = set->kind;
        for (int t = 0; t < set->tasks; t++) {
            if (sim_uses(set, t, d))
                fw_rt_add_user(&g->world.lock[d], (uint32_t)set->task[t].base,
                               (uint32_t)set->task[t].cpu);
        }
    }
    return g;
}

static void gates_end(void *me)
{
    free(me);
}

static void gates_wake(void *me, int t)
{
    struct gates *g = me;

    g->task[t].active = g->task[t].looks = true;
    g->world.task[t].ready = 1;
}

static void gates_sleep(void *me, int t)
{
    struct gates *g = me;

    g->task[t].active = false;
    g->world.task[t].ready = 0;
}

static void gates_wait(struct gates *g, int t, struct fw_rt_obstacle o)
{
    if (o.task >= (uint32_t)g->set->tasks || o.task == (uint32_t)t ||
        (g->world.task[o.task].held & fw_rt_bit(o.lock)) == 0) {
        g->wrong = "the obstacle is none";
        return;
    }
    g->task[t].behind_task = (int)o.task;
    g->task[t].behind_lock = (int)o.lock;
}

/* What the kernel makes of a task: also what those who wait at its gates lend it. */
static long gates_priority(const struct gates *g, int t, int depth)
{
    long best = g->set->task[t].base;

    if (g->task[t].raised > best)
        best = g->task[t].raised;
    for (int i = 0; i < g->set->tasks && depth < g->set->tasks; i++) {
        if (g->task[i].behind_task == t) {
            long lent = gates_priority(g, i, depth + 1);

            best = lent > best ? lent : best;
        }
    }
    return best;
}

static int gates_pick(const struct gates *g, int cpu)
{
    int best = -1;
    long highest = 0;

    for (int t = 0; t < g->set->tasks; t++) {
        const struct gates_task *it = &g->task[t];
        long p;

        if (g->set->task[t].cpu != cpu || !it->active || it->in_line || it->behind_task >= 0)
            continue;
        p = gates_priority(g, t, 0);
        if (best < 0 || p > highest ||
            (p == highest && g->set->task[t].base > g->set->task[best].base)) {
            best = t;
            highest = p;
        }
    }
    return best;
}

static int gates_runs(void *me, int cpu)
{
    struct gates *g = me;

    for (;;) {
        int t = gates_pick(g, cpu);
        struct fw_rt_obstacle o;

        if (t < 0 || !g->task[t].looks || g->wrong != NULL)
            return t;
        if (g->task[t].claims >= 0)
            g->world.task[t].held |= fw_rt_bit((uint32_t)g->task[t].claims);
        g->task[t].claims = -1;
        o = fw_rt_ahead(&g->world, (uint32_t)t);
        if (o.lock == FW_RT_NOBODY)
            g->task[t].looks = false;
        else
            gates_wait(g, t, o);
    }
}

static bool gates_lock_with_line(struct gates *g, int t, int d)
{
    struct fw_rt_task_cell *c = &g->world.task[t];
    struct fw_rt_lock_cell *l = &g->world.lock[d];

    c->stamp = ++g->world.cpu[c->cpu].clock;
    if (l->counter++ == 0) {
        g->owner[d] = t;
        c->held |= fw_rt_bit((uint32_t)d);
        return true;
    }
    l->waiters |= fw_rt_bit((uint32_t)t);
    c->ticket = ++l->tickets;
    c->ready = 0;
    g->task[t].in_line = true;
    g->task[t].raised =
        GATES_RAISED + (l->kind == FW_RT_KIND_MPCP ? (long)fw_rt_remote_ceiling(l, c->cpu)
                                                   : GATES_RAISED - (long)c->stamp);
    return false;
}

static bool gates_lock(void *me, int t, int d)
{
    struct gates *g = me;
    struct fw_rt_obstacle o;

    if (fw_rt_is_boosting(g->set->kind))
        return g->owner[d] == t || gates_lock_with_line(g, t, d);
    g->world.task[t].held |= fw_rt_bit((uint32_t)d);
    o = fw_rt_obstacle(&g->world, (uint32_t)t, (uint32_t)d);
    if (o.lock == FW_RT_NOBODY)
        return true;
    g->world.task[t].held &= ~fw_rt_bit((uint32_t)d);
    gates_wait(g, t, o);
    return false;
}

static void gates_hand_over(struct gates *g, int d)
{
    struct fw_rt_lock_cell *l = &g->world.lock[d];
    uint32_t next = fw_rt_next_waiter(&g->world, (uint32_t)d);

    if (next >= (uint32_t)g->set->tasks) {
        g->wrong = "there are waiters, and none of them is next";
        return;
    }
    l->waiters &= ~fw_rt_bit(next);
    g->owner[d] = (int)next;
    g->world.task[next].ready = 1;
    g->task[next].in_line = false;
    g->task[next].looks = true;
    g->task[next].claims = d;
}

static void gates_unlock(void *me, int t, int d)
{
    struct gates *g = me;

    g->world.task[t].held &= ~fw_rt_bit((uint32_t)d);
    g->owner[d] = -1;
    if (fw_rt_is_boosting(g->set->kind) && g->world.lock[d].counter-- != 1)
        gates_hand_over(g, d);
    if (g->task[t].raised != 0)
        g->task[t].looks = true; /* it may have gone before a section that outranks it now */
    g->task[t].raised = 0;
    for (int i = 0; i < g->set->tasks; i++) {
        if (g->task[i].behind_task == t && g->task[i].behind_lock == d)
            g->task[i].behind_task = -1;
    }
}

static const char *gates_wrong(void *me)
{
    struct gates *g = me;

    return g->wrong;
}

static const struct sim_rules gates_rules = {
    .name = "gates",
    .begin = gates_begin,
    .end = gates_end,
    .wake = gates_wake,
    .sleep = gates_sleep,
    .lock = gates_lock,
    .unlock = gates_unlock,
    .runs = gates_runs,
    .wrong = gates_wrong,
};

#endif
