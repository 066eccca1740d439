/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#ifndef FW_RT_DECIDE_H
#define FW_RT_DECIDE_H

/*
 * The protocols' decisions, as functions of what a group knows (state.h): who may take a lock, who
 * is in the way, who runs, who is next.  Tier A asks them on a task's own behalf, tier B in the
 * kernel, the tests in a simulator; nobody else decides anything.
 *
 * They read and write only the struct fw_rt_state that they are given.  No system calls, atomics or
 * recursion, and loops that end by counting: so the kernel's verifier takes them.  A caller sees
 * to it that what they read stands still (one CPU; a lock).  All indices that come from
 * shared memory are checked: nonsense there makes the decision nonsense, and nothing else.
 *
 * Section II-D: "a job may acquire a lock only if either its priority exceeds the system ceiling,
 * or it holds the resource that defines it".  Here: if its base priority exceeds the ceilings of
 * all locks that *other* tasks of the CPU have (Sha, Rajkumar and Lehoczky, 1990, say it so).
 *
 * DECIDE1  A lock is granted only to a task for which fw_rt_obstacle is FW_RT_NONE.
 * DECIDE2  What is in the way of a task is a lock that another task of the same CPU has (PIP: of
 *     any).
 * DECIDE3  Inheritance is never stored: the CPU goes to the most urgent task, and where that one
 *     waits for a section, to a task that is in it.
 */
#include "rt/state.h"
#include "rt/terms.h"

/* MPCP: a lock's ceiling on a CPU is the highest base priority of its users on all others. */
FW_RT_DECISION uint32_t fw_rt_remote_ceiling(const struct fw_rt_lock_record *l, uint32_t cpu)
{
    return l->top_cpu == cpu ? l->second : l->top;
}

/* How urgent one lock makes a task that has it; 0: not more than it is. */
FW_RT_DECISION uint64_t fw_rt_rank_by(const struct fw_rt_task_record *c,
                                      const struct fw_rt_lock_record *l)
{
    if (l->kind == FW_RT_KIND_IPCP)
        return l->ceiling;
    if (l->kind == FW_RT_KIND_MPCP)
        return FW_RT_BOOSTED + fw_rt_remote_ceiling(l, c->cpu);
    if (l->kind == FW_RT_KIND_FMLP)
        return FW_RT_BOOSTED + FW_RT_AGES - (c->stamp & (FW_RT_AGES - 1));
    return 0;
}

/* How urgent a task is without anybody's inheritance; larger is more. */
FW_RT_DECISION uint64_t fw_rt_rank(const struct fw_rt_state *w, uint32_t t)
{
    const struct fw_rt_task_record *c = &w->task[t % FW_RT_TASKS];
    uint64_t held = fw_rt_locks_of(c), rank = c->base;
    int d;

    if (held == 0)
        return rank;
    FW_RT_EACH(d, FW_RT_LOCKS)
    {
        if (held & fw_rt_bit(d)) {
            uint64_t by = fw_rt_rank_by(c, &w->lock[d]);
            if (by > rank)
                rank = by;
        }
    }
    return rank;
}

/* What is in the way: a lock, and who has it. */
struct fw_rt_obstacle {
    uint32_t lock; /* FW_RT_NONE: nothing */
    uint32_t task;
};

/* The lock that another task of the CPU has, with the highest ceiling; `ceiling` is that. */
FW_RT_DECISION struct fw_rt_obstacle fw_rt_system_ceiling(const struct fw_rt_state *w, uint32_t t,
                                                          uint32_t *ceiling)
{
    struct fw_rt_obstacle top = {FW_RT_NONE, FW_RT_NONE};
    uint32_t cpu = w->task[t % FW_RT_TASKS].cpu;
    int i, d;

    *ceiling = 0;
    FW_RT_EACH(i, FW_RT_TASKS)
    {
        const struct fw_rt_task_record *c = &w->task[i];
        uint64_t held = fw_rt_locks_of(c);
        if ((uint32_t)i == t || held == 0 || c->cpu != cpu)
            continue;
        FW_RT_EACH(d, FW_RT_LOCKS)
        {
            const struct fw_rt_lock_record *l = &w->lock[d];
            if ((held & fw_rt_bit(d)) && fw_rt_has_ceiling(l->kind) && l->ceiling > *ceiling) {
                *ceiling = l->ceiling;
                top.lock = (uint32_t)d;
                top.task = (uint32_t)i;
            }
        }
    }
    return top;
}

/* The owner of the lock, of all tasks except t. */
FW_RT_DECISION uint32_t fw_rt_holder(const struct fw_rt_state *w, uint32_t t, uint32_t lock)
{
    uint32_t holder = FW_RT_NONE;
    int i;

    FW_RT_EACH(i, FW_RT_TASKS)
    {
        if ((uint32_t)i != t && (w->task[i].held & fw_rt_bit(lock)))
            holder = (uint32_t)i;
    }
    return holder;
}

/* Why task t may not have the lock now.  For locks that boost: never; those have queues. */
FW_RT_DECISION struct fw_rt_obstacle fw_rt_obstacle(const struct fw_rt_state *w, uint32_t t,
                                                    uint32_t lock)
{
    struct fw_rt_obstacle o = {FW_RT_NONE, FW_RT_NONE};
    uint32_t kind = w->lock[fw_rt_lock_index(lock)].kind, ceiling;

    if (kind == FW_RT_KIND_PIP) {
        o.task = fw_rt_holder(w, t, lock);
        if (o.task != FW_RT_NONE)
            o.lock = lock;
    } else if (fw_rt_has_ceiling(kind)) {
        o = fw_rt_system_ceiling(w, t, &ceiling);
        if (w->task[t % FW_RT_TASKS].base > ceiling)
            o.lock = o.task = FW_RT_NONE;
    }
    return o;
}

/*
 * Does a task of that rank go before the best one?  Of equal ranks, the one that owes its rank to a
 * section does: an immediate ceiling keeps those out whose priority it is.  Of two sections, that
 * of the higher base priority.
 */
FW_RT_DECISION _Bool fw_rt_is_before(const struct fw_rt_task_record *c, uint64_t rank,
                                     const struct fw_rt_task_record *best, uint64_t best_rank)
{
    if (rank != best_rank)
        return rank > best_rank;
    if ((rank > c->base) != (rank > best->base))
        return rank > c->base;
    return c->base > best->base;
}

/*
 * Whom task t, which is about to run, has to let go first: the most urgent other task of its CPU
 * that is in a section under IPCP, MPCP or FMLP+ and thereby outranks it.  (Tier A: the kernel does
 * not know of these ranks.)
 */
FW_RT_DECISION struct fw_rt_obstacle fw_rt_ahead(const struct fw_rt_state *w, uint32_t t)
{
    struct fw_rt_obstacle o = {FW_RT_NONE, FW_RT_NONE};
    const struct fw_rt_task_record *best = &w->task[t % FW_RT_TASKS];
    uint64_t rank = fw_rt_rank(w, t);
    uint32_t cpu = best->cpu;
    int i, d;

    FW_RT_EACH(i, FW_RT_TASKS)
    {
        const struct fw_rt_task_record *c = &w->task[i];
        uint64_t held = fw_rt_locks_of(c);
        if ((uint32_t)i == t || held == 0 || c->cpu != cpu)
            continue;
        FW_RT_EACH(d, FW_RT_LOCKS)
        {
            uint64_t by = held & fw_rt_bit(d) ? fw_rt_rank_by(c, &w->lock[d]) : 0;
            if (by != 0 && fw_rt_is_before(c, by, best, rank)) {
                rank = by;
                best = c;
                o.lock = (uint32_t)d;
                o.task = (uint32_t)i;
            }
        }
    }
    return o;
}

/* Which of the waiting tasks gets the lock next; FW_RT_NONE: none waits. */
FW_RT_DECISION uint32_t fw_rt_next_waiter(const struct fw_rt_state *w, uint32_t lock)
{
    const struct fw_rt_lock_record *l = &w->lock[fw_rt_lock_index(lock)];
    uint64_t waiters = l->waiters;
    uint32_t next = FW_RT_NONE;
    int i;

    if (waiters == 0)
        return next;
    FW_RT_EACH(i, FW_RT_TASKS)
    {
        const struct fw_rt_task_record *c = &w->task[i], *n;
        if (!(waiters & fw_rt_bit(i)))
            continue;
        if (next == FW_RT_NONE) {
            next = (uint32_t)i;
            continue;
        }
        n = &w->task[next % FW_RT_TASKS];
        if (l->kind == FW_RT_KIND_FMLP ? c->ticket < n->ticket : c->base > n->base)
            next = (uint32_t)i;
    }
    return next; /* F:rt-youngest-first */
}

/*
 * What a task has done since it was dispatched (observations 3 and 4): `page` are the locks that it
 * says it has, `unlocked` whether it has left any.  A lock that is new, or may be held anew, was
 * asked for now, for all that the CPU's other tasks can tell.
 */
FW_RT_DECISION void fw_rt_note(struct fw_rt_state *w, uint32_t t, uint64_t page, _Bool unlocked)
{
    struct fw_rt_task_record *c = &w->task[t % FW_RT_TASKS];
    uint64_t now = page & ~FW_RT_CAN_LOCK, before = fw_rt_locks_of(c);

    if ((now & ~before) != 0 || (now != 0 && unlocked))
        c->stamp = ++w->cpu[c->cpu % FW_RT_CPUS].clock;
    c->held = now;
}

/* What dispatching decided. */
struct fw_rt_pick {
    uint32_t task;    /* who runs; FW_RT_NONE: none of the group's */
    uint32_t granted; /* the lock that it has got by that, plus 1; 0: none */
    uint32_t lender;  /* the task that lends it the CPU; FW_RT_NONE: for itself */
};

/* The most urgent task of the CPU that wants to run, of those that are not in `but`. */
FW_RT_DECISION uint32_t fw_rt_most_urgent(const struct fw_rt_state *w, uint32_t cpu, uint64_t but)
{
    uint32_t best = FW_RT_NONE;
    uint64_t best_rank = 0;
    int i;

    FW_RT_EACH(i, FW_RT_TASKS)
    {
        const struct fw_rt_task_record *c = &w->task[i];
        uint64_t rank;
        if (c->state != FW_RT_LIVE || c->cpu != cpu || !c->ready || (but & fw_rt_bit(i)))
            continue;
        rank = fw_rt_rank(w, (uint32_t)i);
        if (best == FW_RT_NONE ||
            fw_rt_is_before(c, rank, &w->task[best % FW_RT_TASKS], best_rank)) {
            best = (uint32_t)i;
            best_rank = rank;
        }
    }
    return best;
}

/*
 * The task that runs on behalf of task t: itself, or, if it asks for a lock and may not have it,
 * the task that is in the way, and so on (DECIDE3).  FW_RT_NONE: that one sleeps, or waits on
 * another CPU, or they wait for each other in a circle (PIP; else only if a task has what was not
 * granted).  Then nobody acts for any of those on the way either: they are put into `stuck`, so
 * that a decision looks at each task once, whatever tasks have written down.
 */
FW_RT_DECISION uint32_t fw_rt_acts_for(const struct fw_rt_state *w, uint32_t t, uint32_t cpu,
                                       uint64_t *stuck)
{
    uint32_t at = t, found = FW_RT_NONE;
    int hop;

    FW_RT_EACH(hop, FW_RT_TASKS)
    {
        const struct fw_rt_task_record *c = &w->task[at % FW_RT_TASKS];
        struct fw_rt_obstacle o;
        if (!c->ready || c->cpu != cpu || (*stuck & fw_rt_bit(at)))
            break;
        if (c->request == 0) {
            found = at;
            break;
        }
        o = fw_rt_obstacle(w, at, c->request - 1);
        if (o.lock == FW_RT_NONE) {
            found = at;
            break;
        }
        *stuck |= fw_rt_bit(at);
        at = o.task;
    }
    return found;
}

/* The task that runs on the CPU now.  Grants it the lock that it asks for, if that is possible. */
FW_RT_DECISION struct fw_rt_pick fw_rt_dispatch(struct fw_rt_state *w, uint32_t cpu)
{
    struct fw_rt_pick pick = {FW_RT_NONE, 0, FW_RT_NONE};
    uint64_t stuck = 0;
    int turn;

    FW_RT_EACH(turn, FW_RT_TASKS)
    {
        uint32_t first = fw_rt_most_urgent(w, cpu, stuck), acts;
        struct fw_rt_task_record *c;
        if (first == FW_RT_NONE)
            break;
        acts = fw_rt_acts_for(w, first, cpu, &stuck);
        if (acts == FW_RT_NONE) {
            stuck |= fw_rt_bit(first);
            continue;
        }
        pick.task = acts;
        if (acts != first)
            pick.lender = first;
        c = &w->task[acts % FW_RT_TASKS];
        if (c->request != 0) {
            pick.granted = c->request;
            c->held |= fw_rt_bit(c->request - 1);
            c->request = 0;
        }
        break;
    }
    return pick;
}

/* May the task take locks under a ceiling protocol without asking while it runs (observation 1)? */
FW_RT_DECISION _Bool fw_rt_can_lock(const struct fw_rt_state *w, uint32_t t)
{
    uint32_t ceiling;

    fw_rt_system_ceiling(w, t, &ceiling);
    return w->task[t % FW_RT_TASKS].base > ceiling;
}

/*
 * Does somebody wait for the task to leave a section (observation 2)?  One of its CPU that is as
 * urgent, maybe by a section of its own, as it were it not for the section.  A task that asks for a
 * lock and is less urgent than that does not run any sooner for being told.
 */
FW_RT_DECISION _Bool fw_rt_is_waited_for(const struct fw_rt_state *w, uint32_t t)
{
    const struct fw_rt_task_record *own = &w->task[t % FW_RT_TASKS];
    _Bool is_waited_for = 0;
    int i;

    if (fw_rt_locks_of(own) == 0)
        return 0;
    FW_RT_EACH(i, FW_RT_TASKS)
    {
        const struct fw_rt_task_record *c = &w->task[i];
        if ((uint32_t)i == t || c->state != FW_RT_LIVE || !c->ready || c->cpu != own->cpu)
            continue;
        if (fw_rt_rank(w, (uint32_t)i) >= own->base)
            is_waited_for = 1;
    }
    return is_waited_for;
}

/* A user more (or one whose base priority has changed): the lock's ceilings. */
FW_RT_DECISION void fw_rt_add_user(struct fw_rt_lock_record *l, uint32_t base, uint32_t cpu)
{
    if (base > l->ceiling)
        l->ceiling = base;
    if (l->top == 0 || l->top_cpu == cpu) {
        l->top_cpu = cpu;
        if (base > l->top)
            l->top = base;
    } else if (base > l->top) {
        l->second = l->top;
        l->top = base;
        l->top_cpu = cpu;
    } else if (base > l->second) {
        l->second = base;
    }
}

#endif
