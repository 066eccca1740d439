/* SPDX-License-Identifier: MIT */
#include "plan.h"

#include <stdlib.h>

static void add(struct run_plan *p, enum run_do what, int lock, uint64_t ns)
{
    if ((p->count & (p->count - 1)) == 0) { /* 0, or a power of two: it is full */
        p->step = realloc(p->step, (p->count == 0 ? 1 : 2 * p->count) * sizeof *p->step);
        if (p->step == NULL)
            abort();
    }
    p->step[p->count++] = (struct run_step){.what = what, .lock = lock, .ns = ns};
}

/* Part `i` of `n` equal parts, which together are the whole. */
static uint64_t part(uint64_t whole, uint64_t i, uint64_t n)
{
    return whole / n + (i < whole % n);
}

/* The gap before section `i` of `n`, with its share of the sleeps. */
static void add_gap(struct run_plan *p, const struct taskset_task *t, uint64_t ns, uint64_t i,
                    uint64_t n, uint64_t sleeps)
{
    uint64_t first = sleeps * i / n, end = sleeps * (i + 1) / n, pieces = end - first + 1;

    for (uint64_t s = 0; s < pieces; s++) {
        if (s > 0)
            add(p, RUN_DO_SLEEP, TASKSET_NONE, part(t->suspension, first + s - 1, sleeps));
        add(p, RUN_DO_EXECUTE, TASKSET_NONE, part(ns, s, pieces));
    }
}

/* What is inside of the section, or of the job. */
static void add_level(struct run_plan *p, const struct taskset_task *t, int outer)
{
    uint64_t own = outer == TASKSET_NONE ? t->execution : t->section[outer].length;
    uint64_t sleeps = outer == TASKSET_NONE ? (uint64_t)t->suspensions : 0, i = 0, gaps = 1;

    for (int s = 0; s < t->sections; s++) {
        if (t->section[s].outer == outer) {
            own -= t->section[s].length;
            gaps++;
        }
    }
    for (int s = 0; s < t->sections; s++) {
        if (t->section[s].outer != outer)
            continue;
        add_gap(p, t, part(own, i, gaps), i, gaps, sleeps);
        add(p, RUN_DO_LOCK, t->section[s].lock, 0);
        add_level(p, t, s);
        add(p, RUN_DO_UNLOCK, t->section[s].lock, 0);
        i++;
    }
    add_gap(p, t, part(own, i, gaps), i, gaps, sleeps);
}

struct run_plan rt_run_plan(const struct taskset_task *task)
{
    struct run_plan p = {NULL, 0};

    add_level(&p, task, TASKSET_NONE);
    return p;
}
