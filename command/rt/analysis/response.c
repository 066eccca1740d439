/* SPDX-License-Identifier: MIT */
#include "command/rt/analysis/parts.h"

/* No job of the task is there for longer, as seen by others: then the next one is left out. */
static uint64_t longest_seen(const struct study *s, int task)
{
    return smaller(s->response[task], s->set->task[task].period);
}

uint64_t study_jobs(const struct study *s, int task, uint64_t window)
{
    return divide_up(plus(window, longest_seen(s, task)), s->set->task[task].period);
}

/*
 * What more urgent tasks of the CPU take of it in the window at most: what they execute, and for
 * each stretch two switches, to it and back.
 */
static uint64_t interference(const struct study *s, int task, uint64_t window, bool is_late)
{
    const struct taskset_task *own = &s->set->task[task];
    uint64_t sum = 0;

    for (int o = 0; o < s->set->tasks; o++) {
        const struct taskset_task *t = &s->set->task[o];
        uint64_t late = 0;
        if (t->cpu != own->cpu || t->priority <= own->priority)
            continue;
        if (is_late && longest_seen(s, o) > t->execution)
            late = longest_seen(s, o) - t->execution;
        sum = plus(sum, times(divide_up(plus(window, late), t->period),
                              plus(t->execution, times(2, s->wakes[o]))));
    }
    return sum;
}

uint64_t study_response(struct study *s, int task, uint64_t blocking, bool is_late)
{
    const struct taskset_task *t = &s->set->task[task];
    uint64_t own = plus(t->execution + t->suspension, blocking), now = own, before;

    do {
        before = now;
        if (before > horizon(t) || s->effort < (uint64_t)s->set->tasks)
            return ANALYSIS_NO_BOUND;
        s->effort -= (uint64_t)s->set->tasks;
        now = plus(own, interference(s, task, before, is_late));
        now = plus(now, study_taken(s, t->cpu, before));
    } while (now != before);
    return now;
}
