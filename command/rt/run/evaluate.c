/* SPDX-License-Identifier: MIT */
/*
 * Which tasks were blocked when, from what the tasks have written down: goes through all events in
 * their order, and asks for each stretch of time between two of them what it was to each job.
 *
 * a job that is released, not finished,        the stretch
 * not asleep, and
 * -------------------------------------------  ---------------------------------------------------
 * executes                                     is its own
 * a more urgent task of its CPU executes       is interference
 * was due to be woken, and has not been yet    is late, and lost: it could not have run
 * was put to sleep by the kernel               is held, and lost
 * its CPU is stalled, and runs no task         is lost
 * waits for a lock that is owned by a task     is blocking, if anybody executes on that one's CPU,
 *                                              and lost otherwise
 * else, while a less urgent task of its CPU    is blocking
 *   executes
 * else                                         is lost: to the kernel, to switches, to others
 *
 * A job waits for a lock once it has found it taken and is in the queue (RUN_QUEUE).  What is
 * between that and its call is its own work: if it makes no progress there, its CPU is to blame,
 * not the owner, which may have left several times meanwhile.
 *
 * A lock is owned until it is handed on (RUN_HAND), or the call has returned that left it, or
 * another one has got it: a task that has handed it on may lose its CPU in that call.  The task
 * that gets it next, and waits for it then, owns it from then on; so does one that waits for a free
 * lock and gets it next: it may be its CPU that stands still.  (Under a ceiling a job may wait for
 * a lock that nobody owns.)
 */
#include <stdlib.h>
#include <string.h>

#include "command/rt/run/run.h"

struct moment {
    const struct run_event *event;
    int task;     /* or CPU: RUN_STALL, RUN_RESUME */
    size_t order; /* of equal times */
    int receiver; /* RUN_ASK, RUN_HAND, RUN_LEFT: who gets the lock next */
};

struct state {
    bool is_there, is_asleep, executes;
    bool is_late, is_held; /* RUN_WOKEN is still to come: since it was due; since RUN_HELD */
    int asks;              /* for this lock; TASKSET_NONE: for none */
    bool waits;            /* for that one */
    uint64_t release, blocking, lost, present, late, held;
};

struct evaluation {
    const struct run_round *round;
    struct state task[TASKSET_TASKS];
    int owner[TASKSET_LOCKS];
    int busy[TASKSET_CPUS]; /* who executes; TASKSET_NONE */
    bool is_stalled[TASKSET_CPUS];
};

static int compare(const void *left, const void *right)
{
    const struct moment *l = left, *r = right;

    if (l->event->ns != r->event->ns)
        return l->event->ns < r->event->ns ? -1 : 1;
    return (l->order > r->order) - (l->order < r->order);
}

static void add_log(struct moment *all, size_t *n, const struct run_log *log, int whose)
{
    for (size_t i = 0; i < log->count; i++, ++*n)
        all[*n] = (struct moment){
            .event = &log->event[i], .task = whose, .order = *n, .receiver = TASKSET_NONE};
}

static void find_receivers(struct moment *all, size_t n)
{
    int next[TASKSET_LOCKS];

    for (int l = 0; l < TASKSET_LOCKS; l++)
        next[l] = TASKSET_NONE;
    for (size_t i = n; i-- > 0;) {
        if (all[i].event->kind == RUN_GET)
            next[all[i].event->lock] = all[i].task;
        else if (all[i].event->kind == RUN_ASK || all[i].event->kind == RUN_HAND ||
                 all[i].event->kind == RUN_LEFT)
            all[i].receiver = next[all[i].event->lock];
    }
}

static struct moment *collect(const struct run_round *round, size_t *count)
{
    struct moment *all;
    size_t n = 0;

    for (int t = 0; t < round->set->tasks; t++)
        n += round->log[t].count;
    for (size_t c = 0; c < round->cpus; c++)
        n += round->cpu[c].log.count;
    all = malloc((n + 1) * sizeof *all);
    if (all == NULL)
        abort();
    n = 0;
    for (int t = 0; t < round->set->tasks; t++)
        add_log(all, &n, &round->log[t], t);
    for (size_t c = 0; c < round->cpus; c++)
        add_log(all, &n, &round->cpu[c].log, round->cpu[c].cpu);
    qsort(all, n, sizeof *all, compare);
    find_receivers(all, n);
    *count = n;
    return all;
}

/* Is the stretch blocking (1), lost (-1), or neither, to that task's job? */
static int evaluate(const struct evaluation *c, int task)
{
    const struct taskset *set = c->round->set;
    const struct state *s = &c->task[task];
    int cpu = set->task[task].cpu, here = c->busy[cpu];

    if (!s->is_there || s->is_asleep || here == task)
        return 0;
    if (here != TASKSET_NONE && set->task[here].priority > set->task[task].priority)
        return 0;
    if (s->is_late || s->is_held)
        return -1;
    if (here == TASKSET_NONE && c->is_stalled[cpu])
        return -1;
    if (s->waits && c->owner[s->asks] != TASKSET_NONE)
        return c->busy[set->task[c->owner[s->asks]].cpu] != TASKSET_NONE ? 1 : -1;
    return here != TASKSET_NONE ? 1 : -1;
}

static void pass(struct evaluation *c, uint64_t ns)
{
    for (int t = 0; ns != 0 && t < c->round->set->tasks; t++) {
        struct state *s = &c->task[t];
        int answer = evaluate(c, t);
        if (s->is_there && !s->is_asleep)
            s->present += ns;
        if (answer > 0)
            s->blocking += ns;
        else if (answer < 0)
            s->lost += ns;
        if (answer < 0 && s->is_late)
            s->late += ns;
        if (answer < 0 && s->is_held)
            s->held += ns;
    }
}

static void keep(struct run_result *r, const struct state *s, uint64_t end)
{
    if (s->blocking > r->limit && r->above < RUN_ABOVE_KEPT)
        r->kept[r->above] = (struct run_above){.release = s->release,
                                               .end = end,
                                               .blocking = s->blocking,
                                               .lost = s->lost,
                                               .late = s->late,
                                               .held = s->held};
}

static void end_job(struct state *s, struct run_result *r, uint64_t end)
{
    keep(r, s, end);
    if (s->late > r->late)
        r->late = s->late;
    if (s->held > r->held)
        r->held = s->held;
    if (s->blocking > r->blocking)
        r->blocking = s->blocking;
    if (s->lost > r->lost)
        r->lost = s->lost;
    r->sum += s->blocking;
    r->lost_sum += s->lost;
    r->present += s->present;
    r->above += s->blocking > r->limit;
    s->is_there = false;
}

/* The task that gets the free lock next, if it asks for it already. */
static int next_owner(const struct evaluation *c, const struct moment *m)
{
    bool asks = m->receiver != TASKSET_NONE && c->task[m->receiver].asks == m->event->lock;

    return asks ? m->receiver : TASKSET_NONE;
}

/* To a CPU.  False: to none, but to a task. */
static bool happen_to_cpu(struct evaluation *c, const struct moment *m)
{
    if (m->event->kind != RUN_STALL && m->event->kind != RUN_RESUME)
        return false;
    c->is_stalled[m->task] = m->event->kind == RUN_STALL;
    return true;
}

static void happen(struct evaluation *c, const struct moment *m, struct run_result *result)
{
    struct state *s = &c->task[m->task];
    int *busy = &c->busy[c->round->set->task[m->task].cpu], lock = m->event->lock;

    switch (m->event->kind) {
    case RUN_RELEASE:
        *s = (struct state){.is_there = true,
                            .is_late = m->event->lock == RUN_UNWOKEN,
                            .asks = TASKSET_NONE,
                            .release = m->event->ns};
        break;
    case RUN_START:
        *busy = m->task;
        break;
    case RUN_STOP:
        if (*busy == m->task)
            *busy = TASKSET_NONE;
        break;
    case RUN_ASK:
        s->asks = lock;
        if (c->owner[lock] == TASKSET_NONE)
            c->owner[lock] = next_owner(c, m);
        break;
    case RUN_QUEUE:
        s->waits = true;
        break;
    case RUN_GET:
        s->asks = TASKSET_NONE;
        s->waits = false;
        c->owner[lock] = m->task;
        break;
    case RUN_LEAVE:
        break;
    case RUN_HAND:
    case RUN_LEFT:
        if (c->owner[lock] == m->task)
            c->owner[lock] = next_owner(c, m);
        break;
    case RUN_SLEEP:
    case RUN_WAKE:
        s->is_asleep = m->event->kind == RUN_SLEEP;
        s->is_late = m->event->kind == RUN_WAKE && lock == RUN_UNWOKEN;
        break;
    case RUN_HELD:
        s->is_held = true;
        break;
    case RUN_WOKEN:
        s->is_late = s->is_held = false;
        break;
    case RUN_END:
        end_job(s, &result[m->task], m->event->ns);
        break;
    }
}

void rt_run_evaluate(const struct run_round *round, struct run_result *result)
{
    struct evaluation c = {.round = round};
    size_t count;
    struct moment *all = collect(round, &count);

    for (int t = 0; t < TASKSET_TASKS; t++)
        c.task[t].asks = TASKSET_NONE;
    for (int l = 0; l < TASKSET_LOCKS; l++)
        c.owner[l] = TASKSET_NONE;
    for (int cpu = 0; cpu < TASKSET_CPUS; cpu++)
        c.busy[cpu] = TASKSET_NONE;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            pass(&c, all[i].event->ns - all[i - 1].event->ns);
        if (!happen_to_cpu(&c, &all[i]))
            happen(&c, &all[i], result);
    }
    for (int t = 0; t < round->set->tasks; t++) {
        result[t].jobs += round->log[t].jobs;
        result[t].misses += round->log[t].misses;
        if (round->log[t].response > result[t].response)
            result[t].response = round->log[t].response;
    }
    free(all);
}
