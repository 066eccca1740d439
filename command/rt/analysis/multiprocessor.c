/* SPDX-License-Identifier: MIT */
/* MPCP and FMLP+: how long requests wait, and which tasks are boosted meanwhile. */
#include "command/rt/analysis/parts.h"

enum { LEVELS = TASKSET_PRIORITIES + 1 };

/* Of each task: its longest section that is boosted to each level, or higher. */
static void find_boosted(const struct taskset *set, uint64_t longest[TASKSET_TASKS][LEVELS])
{
    for (int o = 0; o < set->tasks; o++) {
        const struct taskset_task *t = &set->task[o];
        for (int level = 0; level < LEVELS; level++)
            longest[o][level] = 0;
        for (int i = 0; i < t->sections; i++) {
            int boost = study_remote_ceiling(set, t->section[i].lock, t->cpu);
            for (int level = 0; level <= boost; level++)
                longest[o][level] = larger(longest[o][level], t->section[i].length);
        }
    }
}

void study_holding(struct study *s)
{
    uint64_t longest[TASKSET_TASKS][LEVELS];
    const struct taskset *set = s->set;

    find_boosted(set, longest);
    for (int own = 0; own < set->tasks; own++) {
        const struct taskset_task *t = &set->task[own];
        for (int i = 0; i < t->sections; i++) {
            int lock = t->section[i].lock, boost = study_remote_ceiling(set, lock, t->cpu);
            uint64_t held = t->section[i].length;
            for (int o = 0; o < set->tasks; o++)
                if (o != own && set->task[o].cpu == t->cpu)
                    held = plus(held, longest[o][boost]);
            s->held_most[own][lock] = larger(s->held_most[own][lock], held);
            s->held_sum[own][lock] = plus(s->held_sum[own][lock], held);
        }
    }
}

/* w: how long a request of that task for that lock waits. */
static uint64_t mpcp_wait(struct study *s, int task, int lock)
{
    const struct taskset *set = s->set;
    uint64_t wait = 0, below = 0, next;

    for (int o = 0; o < set->tasks; o++)
        if (set->task[o].priority < set->task[task].priority)
            below = larger(below, s->held_most[o][lock]);
    for (;;) {
        next = below;
        for (int o = 0; o < set->tasks; o++)
            if (o != task && set->task[o].priority >= set->task[task].priority &&
                s->held_sum[o][lock] != 0)
                next = plus(next, times(study_jobs(s, o, wait), s->held_sum[o][lock]));
        if (next == wait)
            return wait;
        wait = next;
        if (wait > horizon(&set->task[task]) || s->effort < (uint64_t)set->tasks)
            return ANALYSIS_NO_BOUND;
        s->effort -= (uint64_t)set->tasks;
    }
}

uint64_t study_mpcp(struct study *s, int task)
{
    const struct taskset_task *t = &s->set->task[task];
    uint64_t sum = study_boosted(s, task), wait[TASKSET_LOCKS];

    for (int l = 0; l < s->set->locks; l++)
        wait[l] = study_uses(t, l) ? mpcp_wait(s, task, l) : 0;
    for (int i = 0; i < t->sections; i++)
        sum = plus(sum, wait[t->section[i].lock]);
    return sum;
}

/* Is there a user of the lock on that CPU, other than this task? */
static bool is_used_on(const struct taskset *set, int task, int lock, int cpu)
{
    for (int o = 0; o < set->tasks; o++)
        if (o != task && set->task[o].cpu == cpu && study_uses(&set->task[o], lock))
            return true;
    return false;
}

uint64_t study_fmlp(struct study *s, int task)
{
    const struct taskset *set = s->set;
    const struct taskset_task *t = &set->task[task];
    uint64_t sum = study_boosted(s, task), wait[TASKSET_LOCKS];

    for (int l = 0; l < set->locks; l++) {
        wait[l] = 0;
        for (int o = 0; o < set->tasks; o++)
            if (o != task && is_used_on(set, task, l, set->task[o].cpu))
                wait[l] = plus(wait[l], study_longest(&set->task[o]));
    }
    for (int i = 0; i < t->sections; i++)
        sum = plus(sum, wait[t->section[i].lock]);
    return sum;
}
