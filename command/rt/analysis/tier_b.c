/* SPDX-License-Identifier: MIT */
/* What tier B's scheduler gives to others above all priorities; the formulas are analysis.h's. */
#include "command/rt/analysis/parts.h"
#include "rt/inspect.h"

/* May a task of that CPU wait for a lock until it is let through? */
static bool waits_long(const struct study *s, int cpu)
{
    for (int o = 0; o < s->set->tasks; o++)
        if (s->set->task[o].cpu == cpu && s->set->task[o].sections > 0 &&
            s->response[o] > FW_RT_SCX_TURN_EVERY_NS)
            return true;
    return false;
}

static uint64_t turns(const struct study *s, int cpu, uint64_t window)
{
    return s->turn[cpu] ? times(divide_up(window, FW_RT_SCX_TURN_EVERY_NS), s->turn[cpu]) : 0;
}

/* May the CPU's tasks keep it long enough that others count as starved?  L of analysis.h. */
static bool fills(struct study *s, int cpu)
{
    uint64_t now = 1, before;

    do {
        before = now;
        if (before > FW_RT_SCX_OTHERS_EVERY_NS || s->effort < (uint64_t)s->set->tasks)
            return true;
        s->effort -= (uint64_t)s->set->tasks;
        now = plus(1, turns(s, cpu, before));
        for (int o = 0; o < s->set->tasks; o++) {
            const struct taskset_task *t = &s->set->task[o];
            if (t->cpu == cpu)
                now = plus(now, times(study_jobs(s, o, before),
                                      plus(t->execution, times(2, s->wakes[o]))));
        }
    } while (now != before);
    return false;
}

void study_scheduler(struct study *s, uint64_t tick, uint64_t wake)
{
    uint64_t more = plus(tick, times(2, wake));

    for (int i = 0; i < s->set->tasks; i++) {
        int cpu = s->set->task[i].cpu;
        if (waits_long(s, cpu))
            s->turn[cpu] = plus(FW_RT_SCX_TURN_NS, more);
        if (s->slice[cpu] == 0 && fills(s, cpu))
            s->slice[cpu] = plus(FW_RT_SCX_OTHERS_NS, more);
    }
}

uint64_t study_taken(const struct study *s, int cpu, uint64_t window)
{
    uint64_t slices = 0;

    if (s->slice[cpu] != 0)
        slices = times(divide_up(window, FW_RT_SCX_OTHERS_EVERY_NS), s->slice[cpu]);
    return plus(turns(s, cpu, window), slices);
}
