/* SPDX-License-Identifier: MIT */
/* PIP, and the protocols with ceilings: a bounded number of sections of less urgent tasks. */
#include <string.h>

#include "command/rt/analysis/parts.h"

/* The task's longest section under that lock (TASKSET_NONE: any) with that ceiling at least. */
static uint64_t longest_against(const struct taskset_task *t, int lock, const int *ceiling,
                                int priority)
{
    uint64_t longest = 0;

    for (int i = 0; i < t->sections; i++) {
        const struct taskset_section *s = &t->section[i];
        if ((lock == TASKSET_NONE || lock == s->lock) && ceiling[s->lock] >= priority)
            longest = larger(longest, s->length);
    }
    return longest;
}

static bool is_below(const struct taskset_task *other, const struct taskset_task *own)
{
    return other->cpu == own->cpu && other->priority < own->priority;
}

uint64_t study_ceiling_blocking(struct study *s, int task)
{
    const struct taskset_task *own = &s->set->task[task];
    int ceiling[TASKSET_LOCKS];
    uint64_t longest = 0;

    for (int l = 0; l < s->set->locks; l++)
        ceiling[l] = study_ceiling(s->set, l);
    for (int o = 0; o < s->set->tasks; o++) {
        const struct taskset_task *t = &s->set->task[o];
        if (is_below(t, own))
            longest = larger(longest, longest_against(t, TASKSET_NONE, ceiling, own->priority));
    }
    return times(study_stretches(s->set, task, false), longest);
}

/* From which lock to which a task goes while it holds the first. */
struct nesting {
    bool into[TASKSET_LOCKS][TASKSET_LOCKS];
};

static void find_nesting(const struct taskset *set, struct nesting *n)
{
    memset(n, 0, sizeof *n);
    for (int i = 0; i < set->tasks; i++) {
        const struct taskset_task *t = &set->task[i];
        for (int k = 0; k < t->sections; k++)
            if (t->section[k].outer != TASKSET_NONE)
                n->into[t->section[t->section[k].outer].lock][t->section[k].lock] = true;
    }
    for (int by = 0; by < set->locks; by++)
        for (int from = 0; from < set->locks; from++)
            for (int to = 0; to < set->locks; to++)
                if (n->into[from][by] && n->into[by][to])
                    n->into[from][to] = true;
}

bool study_has_circle(const struct taskset *set)
{
    struct nesting n;

    find_nesting(set, &n);
    for (int l = 0; l < set->locks; l++)
        if (n.into[l][l])
            return true;
    return false;
}

/* The tasks that may wait for the lock: its users, and those that wait for what its users hold. */
static void find_far_ceilings(const struct taskset *set, int *far)
{
    struct nesting n;

    find_nesting(set, &n);
    for (int l = 0; l < set->locks; l++) {
        far[l] = study_ceiling(set, l);
        for (int outer = 0; outer < set->locks; outer++)
            if (n.into[outer][l] && study_ceiling(set, outer) > far[l])
                far[l] = study_ceiling(set, outer);
    }
}

/* Can tasks as urgent as this one or more ask for the lock a second time while its job is there? */
static bool is_asked_for_again(const struct taskset *set, int task, int lock)
{
    const struct taskset_task *own = &set->task[task];
    int requests = 0;

    for (int i = 0; i < own->sections; i++)
        requests += own->section[i].lock == lock;
    for (int o = 0; o < set->tasks; o++)
        if (is_below(own, &set->task[o]) && study_uses(&set->task[o], lock))
            return true;
    return requests > 1;
}

/* What less urgent tasks' sections under the lock may block in a stretch. */
static uint64_t pip_by_lock(const struct taskset *set, int task, int lock, const int *far)
{
    const struct taskset_task *own = &set->task[task];
    uint64_t longest = 0, sum = 0;

    for (int o = 0; o < set->tasks; o++) {
        uint64_t section;
        if (!is_below(&set->task[o], own))
            continue;
        section = longest_against(&set->task[o], lock, far, own->priority);
        longest = larger(longest, section);
        sum = plus(sum, section);
    }
    return is_asked_for_again(set, task, lock) ? sum : longest;
}

uint64_t study_pip(struct study *s, int task)
{
    const struct taskset *set = s->set;
    const struct taskset_task *own = &set->task[task];
    uint64_t by_task = 0, by_lock = 0, bound;
    int far[TASKSET_LOCKS];

    find_far_ceilings(set, far);
    for (int o = 0; o < set->tasks; o++)
        if (is_below(&set->task[o], own))
            by_task =
                plus(by_task, longest_against(&set->task[o], TASKSET_NONE, far, own->priority));
    for (int l = 0; l < set->locks; l++)
        by_lock = plus(by_lock, pip_by_lock(set, task, l, far));
    bound = taskset_is_nested(set) ? by_task : smaller(by_task, by_lock);
    return times(study_stretches(set, task, false), bound);
}
