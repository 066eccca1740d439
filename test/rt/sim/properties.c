/* SPDX-License-Identifier: MIT */
#include "properties.h"

#include <string.h>

#define NOBODY (-1)

/* What is known of a task's job at one moment. */
struct watched {
    bool active, asleep;
    int wants; /* the lock that it has asked for and not got */
    int asked; /* the number of the event by which it last asked */
    uint32_t held;
    int section;                 /* its outermost sections so far */
    int sleeps;                  /* of this job */
    int delays;                  /* sections that held this job back */
    int delayed;                 /* for how many ticks */
    int last_delay[SIM_TASKS];   /* the last such section of each task */
    int times_passed[SIM_TASKS]; /* while it waits for its lock: who got that */
};

struct check {
    const struct sim_set *set;
    const struct sim_trace *trace;
    bool is_local; /* PIP, IPCP, PCP */
    bool has_ceilings;
    struct watched task[SIM_TASKS];
    int holder[SIM_LOCKS];
    int next_owner[SIM_LOCKS]; /* who is to get the lock next, NOBODY: not decided */
    int longest[SIM_TASKS];    /* the longest section that may hold the task back */
    struct sim_finding finding;
};

static void find(struct check *w, const char *what, int tick, int task)
{
    if (w->finding.what == NULL)
        w->finding = (struct sim_finding){what, tick, task};
}

static int base_of(const struct check *w, int t)
{
    return w->set->task[t].base;
}

static bool is_less_urgent(const struct check *w, int t, int than)
{
    return base_of(w, t) < base_of(w, than);
}

/* The highest base priority of the lock's users; of those on other CPUs than `but`. */
static int ceiling_of(const struct sim_set *set, int d, int but)
{
    int ceiling = 0;

    for (int t = 0; t < set->tasks; t++) {
        if (sim_uses(set, t, d) && set->task[t].cpu != but && set->task[t].base > ceiling)
            ceiling = set->task[t].base;
    }
    return ceiling;
}

/* The longest outermost section of a less urgent task that has a lock of such a ceiling. */
static int longest_for(const struct sim_set *set, int job)
{
    int longest = 0;

    for (int t = 0; t < set->tasks; t++) {
        const struct sim_task *task = &set->task[t];
        int depth = 0, ticks = 0;
        bool counts = false;

        if (task->cpu != set->task[job].cpu || task->base >= set->task[job].base)
            continue;
        for (int i = 0; i < task->ops; i++) {
            if (task->op[i].what == SIM_LOCK) {
                if (depth++ == 0)
                    counts = (ticks = 0) != 0;
                if (ceiling_of(set, task->op[i].value, -1) >= set->task[job].base)
                    counts = true;
            } else if (task->op[i].what == SIM_UNLOCK && --depth == 0) {
                longest = counts && ticks > longest ? ticks : longest;
            } else if (task->op[i].what == SIM_RUN) {
                ticks += task->op[i].value;
            }
        }
    }
    return longest;
}

static bool could_run(const struct watched *t)
{
    return t->active && !t->asleep && t->wants == NOBODY;
}

/* SIM6: a task that has to be the next, now that the lock is left. */
static int next_of(const struct check *w, int d)
{
    int next = NOBODY;

    for (int t = 0; t < w->set->tasks; t++) {
        if (w->task[t].wants != d)
            continue;
        if (next == NOBODY ||
            (w->set->kind == FW_RT_KIND_MPCP ? base_of(w, t) > base_of(w, next)
                                             : w->task[t].asked < w->task[next].asked))
            next = t;
    }
    return next;
}

/* SIM7, for locks with queues. */
static void count_passing(struct check *w, struct sim_event e)
{
    for (int t = 0; t < w->set->tasks; t++) {
        struct watched *waiter = &w->task[t];
        int less_urgent = 0;

        if (waiter->wants != e.lock || t == e.task)
            continue;
        waiter->times_passed[e.task]++;
        for (int i = 0; i < w->set->tasks; i++)
            less_urgent += is_less_urgent(w, i, t) ? waiter->times_passed[i] : 0;
        if (w->set->kind == FW_RT_KIND_MPCP ? less_urgent > 1 : waiter->times_passed[e.task] > 1)
            find(w, "P7: a job was passed over", e.tick, t);
    }
}

static void on_got(struct check *w, struct sim_event e)
{
    struct watched *t = &w->task[e.task];

    if (w->holder[e.lock] != NOBODY)
        find(w, "P1: two tasks have a lock", e.tick, e.task);
    if (!w->is_local && w->next_owner[e.lock] != NOBODY && w->next_owner[e.lock] != e.task)
        find(w, "P6: it was another one's turn", e.tick, e.task);
    w->next_owner[e.lock] = NOBODY;
    w->holder[e.lock] = e.task;
    t->wants = NOBODY;
    if (t->held == 0)
        t->section++;
    t->held |= 1u << e.lock;
    if (!w->is_local)
        count_passing(w, e);
}

static void on_event(struct check *w, int number)
{
    struct sim_event e = w->trace->event[number];
    struct watched *t = &w->task[e.task];

    switch (e.kind) {
    case SIM_RELEASED:
        t->active = true;
        t->sleeps = t->delays = t->delayed = 0;
        memset(t->last_delay, 0, sizeof t->last_delay);
        break;
    case SIM_DONE:
        t->active = false;
        break;
    case SIM_ASKED:
        t->wants = e.lock;
        t->asked = number;
        memset(t->times_passed, 0, sizeof t->times_passed);
        break;
    case SIM_GOT:
        on_got(w, e);
        break;
    case SIM_LEFT:
        w->holder[e.lock] = NOBODY;
        t->held &= ~(1u << e.lock);
        w->next_owner[e.lock] = w->is_local ? NOBODY : next_of(w, e.lock);
        break;
    case SIM_SLEPT:
        t->asleep = true;
        t->sleeps++;
        break;
    case SIM_WOKE:
        t->asleep = false;
        break;
    }
}

/* A less urgent task runs while the job is there: SIM3, SIM4, SIM7. */
static void on_delay(struct check *w, int job, int by, int tick)
{
    struct watched *j = &w->task[job], *b = &w->task[by];

    if (w->is_local ? w->set->sleeps_in_sections : !could_run(j))
        return;
    if (b->held == 0) {
        find(w, "P4: a less urgent job runs outside of sections", tick, job);
        return;
    }
    if (!w->is_local)
        return;
    j->delayed++;
    if (j->last_delay[by] != b->section) {
        if (w->set->kind == FW_RT_KIND_PIP && !w->set->sleeps && j->last_delay[by] != 0)
            find(w, "P3: held back twice by the same task", tick, job);
        j->last_delay[by] = b->section;
        j->delays++;
    }
    if (!w->has_ceilings)
        return;
    if (j->delays > 1 + j->sleeps)
        find(w, "P3: held back by more than one section", tick, job);
    if (j->delayed > (1 + j->sleeps) * w->longest[job])
        find(w, "P7: held back for too long", tick, job);
}

/* How far a job in a section goes before others in theirs. */
static int boost_of(const struct check *w, int t)
{
    int d = 0;

    while ((w->task[t].held >> d & 1u) == 0)
        d++;
    if (w->set->kind == FW_RT_KIND_FMLP)
        return SIM_EVENTS - w->task[t].asked;
    return ceiling_of(w->set, d, w->set->task[t].cpu);
}

/* IPCP: is the task as urgent as a ceiling of the other one's locks, or less? */
static bool is_under_ceiling(const struct check *w, int t, int other)
{
    for (int d = 0; d < w->set->locks; d++) {
        if ((w->task[other].held >> d & 1u) && ceiling_of(w->set, d, -1) >= base_of(w, t))
            return true;
    }
    return false;
}

static void check_cpu(struct check *w, int cpu, int tick)
{
    int ran = w->trace->ran[tick][cpu];

    for (int t = 0; t < w->set->tasks; t++) {
        const struct watched *it = &w->task[t];

        if (w->set->task[t].cpu != cpu || !it->active || it->asleep || t == ran)
            continue;
        if (ran == NOBODY) {
            if (w->is_local ? !w->set->sleeps_in_sections : could_run(it))
                find(w, "P8: a CPU idles", tick, t);
            continue;
        }
        if (!w->is_local && it->held != 0 &&
            (w->task[ran].held == 0 || boost_of(w, ran) < boost_of(w, t)))
            find(w, "P5: a section does not go first", tick, t);
        if (w->set->kind == FW_RT_KIND_IPCP && !w->set->sleeps_in_sections &&
            is_under_ceiling(w, ran, t))
            find(w, "P5: a job goes on under an immediate ceiling", tick, t);
        if (is_less_urgent(w, ran, t))
            on_delay(w, t, ran, tick);
    }
}

struct sim_finding sim_check(const struct sim_set *set, const struct sim_trace *trace)
{
    struct check w = {.set = set, .trace = trace};
    int e = 0;

    w.has_ceilings = set->kind == FW_RT_KIND_IPCP || set->kind == FW_RT_KIND_PCP;
    w.is_local = w.has_ceilings || set->kind == FW_RT_KIND_PIP;
    for (int d = 0; d < SIM_LOCKS; d++)
        w.holder[d] = w.next_owner[d] = NOBODY;
    for (int t = 0; t < set->tasks; t++) {
        w.task[t].wants = NOBODY;
        w.longest[t] = longest_for(set, t);
    }
    for (int tick = 0; tick < trace->ticks && w.finding.what == NULL; tick++) {
        while (e < trace->events && trace->event[e].tick <= tick)
            on_event(&w, e++);
        for (int c = 0; c < set->cpus; c++)
            check_cpu(&w, c, tick);
    }
    if (w.finding.what == NULL && trace->wrong != NULL)
        find(&w, trace->wrong, trace->ticks, NOBODY);
    if (w.finding.what == NULL && !trace->finished)
        find(&w, "P2: jobs wait forever", trace->ticks, NOBODY);
    return w.finding;
}
