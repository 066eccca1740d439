/* SPDX-License-Identifier: MIT */
#include "command/rt/analysis/parts.h"

bool study_uses(const struct taskset_task *t, int lock)
{
    for (int i = 0; i < t->sections; i++)
        if (t->section[i].lock == lock)
            return true;
    return false;
}

bool study_shares(const struct taskset *set, int task, int lock)
{
    for (int o = 0; o < set->tasks; o++)
        if (o != task && study_uses(&set->task[o], lock))
            return true;
    return false;
}

bool study_is_on_one_cpu(const struct taskset *set, int lock)
{
    int cpu = -1;

    for (int i = 0; i < set->tasks; i++) {
        if (!study_uses(&set->task[i], lock))
            continue;
        if (cpu != -1 && cpu != set->task[i].cpu)
            return false;
        cpu = set->task[i].cpu;
    }
    return true;
}

int study_remote_ceiling(const struct taskset *set, int lock, int cpu)
{
    int ceiling = 0;

    for (int i = 0; i < set->tasks; i++) {
        const struct taskset_task *t = &set->task[i];
        if (t->cpu != cpu && t->priority > ceiling && study_uses(t, lock))
            ceiling = t->priority;
    }
    return ceiling;
}

int study_ceiling(const struct taskset *set, int lock)
{
    return study_remote_ceiling(set, lock, -1);
}

uint64_t study_longest(const struct taskset_task *t)
{
    uint64_t longest = 0;

    for (int i = 0; i < t->sections; i++)
        longest = larger(longest, t->section[i].length);
    return longest;
}

uint64_t study_stretches(const struct taskset *set, int task, bool suspends)
{
    const struct taskset_task *t = &set->task[task];
    uint64_t stretches = 1 + (uint64_t)t->suspensions;

    for (int i = 0; i < t->sections; i++)
        if (suspends && study_shares(set, task, t->section[i].lock))
            stretches++;
    return stretches;
}

uint64_t study_boosted(const struct study *s, int task)
{
    const struct taskset_task *own = &s->set->task[task];
    uint64_t sum = 0;

    for (int o = 0; o < s->set->tasks; o++) {
        const struct taskset_task *t = &s->set->task[o];
        if (t->cpu == own->cpu && t->priority < own->priority)
            sum = plus(sum, study_longest(t));
    }
    return times(study_stretches(s->set, task, true), sum);
}
