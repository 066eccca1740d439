/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

/* Above all base priorities: jobs in sections of MPCP and FMLP+. */
#define ABOVE_ALL 1000000000L

struct oracle {
    const struct sim_set *set;
    bool ready[SIM_TASKS];
    bool blocked[SIM_TASKS];
    int wants[SIM_TASKS];            /* the lock that it is blocked on */
    long asked[SIM_TASKS];           /* when it made its last request */
    int holder[SIM_LOCKS];           /* -1: free */
    int queue[SIM_LOCKS][SIM_TASKS]; /* MPCP, FMLP+: its waiters, in order of arrival */
    int waiting[SIM_LOCKS];
    int ceiling[SIM_LOCKS];          /* the highest base priority of all users */
    int remote[SIM_LOCKS][SIM_CPUS]; /* of the users on all other CPUs */
    long clock;
};

static int base_of(const struct oracle *o, int t)
{
    return o->set->task[t].base;
}

static int cpu_of(const struct oracle *o, int t)
{
    return o->set->task[t].cpu;
}

static bool has_lines(const struct oracle *o)
{
    return o->set->kind == FW_RT_KIND_MPCP || o->set->kind == FW_RT_KIND_FMLP;
}

static void *oracle_begin(const struct sim_set *set)
{
    struct oracle *o = calloc(1, sizeof *o);

    if (o == NULL)
        abort();
    o->set = set;
    for (int d = 0; d < set->locks; d++) {
        o->holder[d] = -1;
        for (int t = 0; t < set->tasks; t++) {
            if (!sim_uses(set, t, d))
                continue;
            if (o->ceiling[d] < base_of(o, t))
                o->ceiling[d] = base_of(o, t);
            for (int c = 0; c < set->cpus; c++) {
                if (c != cpu_of(o, t) && o->remote[d][c] < base_of(o, t))
                    o->remote[d][c] = base_of(o, t);
            }
        }
    }
    return o;
}

static void oracle_end(void *me)
{
    free(me);
}

static void oracle_wake(void *me, int t)
{
    struct oracle *o = me;

    o->ready[t] = true;
}

static void oracle_sleep(void *me, int t)
{
    struct oracle *o = me;

    o->ready[t] = false;
}

/* The system ceiling of a CPU; 0: no lock is held there. */
static int system_ceiling(const struct oracle *o, int cpu)
{
    int ceiling = 0;

    for (int d = 0; d < o->set->locks; d++) {
        if (o->holder[d] >= 0 && cpu_of(o, o->holder[d]) == cpu && o->ceiling[d] > ceiling)
            ceiling = o->ceiling[d];
    }
    return ceiling;
}

/* Has the job the lock that is the system ceiling? */
static bool owns_ceiling(const struct oracle *o, int t)
{
    for (int d = 0; d < o->set->locks; d++) {
        if (o->holder[d] == t && o->ceiling[d] == system_ceiling(o, cpu_of(o, t)))
            return true;
    }
    return false;
}

static bool may_lock(const struct oracle *o, int t, int d)
{
    if (o->set->kind == FW_RT_KIND_PIP)
        return o->holder[d] < 0;
    return base_of(o, t) > system_ceiling(o, cpu_of(o, t)) || owns_ceiling(o, t);
}

static bool oracle_lock(void *me, int t, int d)
{
    struct oracle *o = me;

    if (o->holder[d] == t)
        return true;
    if (has_lines(o)) {
        o->asked[t] = ++o->clock;
        if (o->holder[d] >= 0)
            o->queue[d][o->waiting[d]++] = t;
    }
    if (has_lines(o) ? o->holder[d] < 0 : may_lock(o, t, d)) {
        o->holder[d] = t;
        return true;
    }
    o->blocked[t] = true;
    o->wants[t] = d;
    return false;
}

/* MPCP: the job of the highest base priority is next.  FMLP+: the one that asked first. */
static void hand_over(struct oracle *o, int d)
{
    int best = 0;

    if (o->waiting[d] == 0)
        return;
    for (int i = 1; i < o->waiting[d] && o->set->kind == FW_RT_KIND_MPCP; i++) {
        if (base_of(o, o->queue[d][i]) > base_of(o, o->queue[d][best]))
            best = i;
    }
    o->holder[d] = o->queue[d][best];
    o->blocked[o->holder[d]] = false;
    o->waiting[d]--;
    memmove(&o->queue[d][best], &o->queue[d][best + 1],
            (size_t)(o->waiting[d] - best) * sizeof o->queue[d][0]);
}

static void oracle_unlock(void *me, int t, int d)
{
    struct oracle *o = me;

    (void)t;
    o->holder[d] = -1;
    if (has_lines(o)) {
        hand_over(o, d);
        return;
    }
    for (int i = 0; i < o->set->tasks; i++) {
        if (o->blocked[i] && may_lock(o, i, o->wants[i]))
            o->blocked[i] = false; /* it asks again when it runs */
    }
}

/* The priority of a job in sections, without inheritance. */
static long own_priority(const struct oracle *o, int t)
{
    long best = base_of(o, t);

    for (int d = 0; d < o->set->locks; d++) {
        long by = 0;

        if (o->holder[d] != t)
            continue;
        if (o->set->kind == FW_RT_KIND_IPCP)
            by = o->ceiling[d];
        else if (o->set->kind == FW_RT_KIND_MPCP)
            by = ABOVE_ALL + o->remote[d][cpu_of(o, t)];
        else if (o->set->kind == FW_RT_KIND_FMLP)
            by = 2 * ABOVE_ALL - o->asked[t];
        best = by > best ? by : best;
    }
    return best;
}

/* Does t keep i from going on? */
static bool blocks(const struct oracle *o, int t, int i)
{
    if (!o->blocked[i] || i == t)
        return false;
    if (o->set->kind == FW_RT_KIND_PIP)
        return o->holder[o->wants[i]] == t;
    return !has_lines(o) && cpu_of(o, i) == cpu_of(o, t) && owns_ceiling(o, t);
}

/* With inheritance, which goes on through those who are blocked themselves. */
static long priority(const struct oracle *o, int t, int depth)
{
    long best = own_priority(o, t);

    for (int i = 0; i < o->set->tasks && depth < o->set->tasks; i++) {
        if (blocks(o, t, i)) {
            long p = priority(o, i, depth + 1);

            best = p > best ? p : best;
        }
    }
    return best;
}

/*
 * Equal priorities.  IPCP: a job does not begin while a ceiling is as high as its priority.  MPCP:
 * sections of equal ceilings are left open in the literature; here by base priority.
 */
static bool goes_first(const struct oracle *o, int t, int other)
{
    bool raised = own_priority(o, t) > base_of(o, t);

    if (raised != (own_priority(o, other) > base_of(o, other)))
        return raised;
    return base_of(o, t) > base_of(o, other);
}

static int oracle_runs(void *me, int cpu)
{
    struct oracle *o = me;
    int best = -1;
    long highest = 0;

    for (int t = 0; t < o->set->tasks; t++) {
        long p;

        if (cpu_of(o, t) != cpu || !o->ready[t] || o->blocked[t])
            continue;
        p = priority(o, t, 0);
        if (best < 0 || p > highest || (p == highest && goes_first(o, t, best))) {
            best = t;
            highest = p;
        }
    }
    return best;
}

static const char *oracle_wrong(void *me)
{
    (void)me;
    return NULL;
}

const struct sim_rules sim_oracle = {
    .name = "oracle",
    .begin = oracle_begin,
    .end = oracle_end,
    .wake = oracle_wake,
    .sleep = oracle_sleep,
    .lock = oracle_lock,
    .unlock = oracle_unlock,
    .runs = oracle_runs,
    .wrong = oracle_wrong,
};
