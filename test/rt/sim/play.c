/* SPDX-License-Identifier: MIT */
#include "play.h"

#include <string.h>

/* More steps than this at one moment: the rules go round in a circle. */
#define SIM_STEPS 2000

struct job {
    int started; /* jobs so far */
    bool active;
    bool asked;
    int pc;
    int left;     /* ticks of the SIM_RUN that is under way */
    int wakes_at; /* -1: does not sleep */
};

struct play {
    const struct sim_set *set;
    const struct sim_rules *rules;
    void *me;
    struct sim_trace *trace;
    int tick;
    struct job job[SIM_TASKS];
};

static void tell(struct play *p, enum sim_event_kind kind, int t, int lock)
{
    if (p->trace->events == SIM_EVENTS) {
        p->trace->wrong = "too many events";
        return;
    }
    p->trace->event[p->trace->events++] = (struct sim_event){p->tick, kind, t, lock};
}

static bool release(struct play *p, int t)
{
    const struct sim_task *task = &p->set->task[t];
    struct job *job = &p->job[t];

    if (job->active)
        return false;
    while (p->set->leaves_out && job->started < task->jobs && task->release[job->started] < p->tick)
        job->started++;
    if (job->started == task->jobs || task->release[job->started] > p->tick)
        return false;
    job->started++;
    job->active = true;
    job->pc = 0;
    tell(p, SIM_RELEASED, t, -1);
    return true;
}

/* An operation that takes no time; false: the task is busy. */
static bool act(struct play *p, int t)
{
    struct job *job = &p->job[t];
    struct sim_op op = p->set->task[t].op[job->pc];

    switch (op.what) {
    case SIM_RUN:
        if (job->left == 0)
            job->left = op.value;
        return false;
    case SIM_SLEEP:
        job->pc++;
        job->wakes_at = p->tick + op.value;
        tell(p, SIM_SLEPT, t, -1);
        p->rules->sleep(p->me, t);
        return true;
    case SIM_LOCK:
        if (!job->asked)
            tell(p, SIM_ASKED, t, op.value);
        job->asked = true;
        if (p->rules->lock(p->me, t, op.value)) {
            job->asked = false;
            job->pc++;
            tell(p, SIM_GOT, t, op.value);
        }
        return true;
    case SIM_UNLOCK:
        job->pc++;
        tell(p, SIM_LEFT, t, op.value);
        p->rules->unlock(p->me, t, op.value);
        return true;
    case SIM_END:
        job->active = false;
        tell(p, SIM_DONE, t, -1);
        if (!release(p, t)) /* a job that is late begins at once */
            p->rules->sleep(p->me, t);
        return true;
    }
    return false;
}

/* Everything that happens at this moment, until all CPUs are busy or have nothing to do. */
static bool collect_left(struct play *p)
{
    for (int steps = 0; steps < SIM_STEPS; steps++) {
        bool acted = false;

        for (int i = 0; i < p->set->cpus && !acted; i++) {
            int t = p->rules->runs(p->me, p->set->order[i]);

            if (t < 0)
                continue;
            if (!p->job[t].active || p->job[t].wakes_at >= 0) {
                p->trace->wrong = "somebody runs who has nothing to do";
                return false;
            }
            acted = act(p, t);
        }
        if (!acted || p->trace->wrong != NULL)
            return p->trace->wrong == NULL;
    }
    p->trace->wrong = "the same moment goes on forever";
    return false;
}

static void run_tick(struct play *p)
{
    for (int c = 0; c < p->set->cpus; c++) {
        int t = p->rules->runs(p->me, c);

        p->trace->ran[p->tick][c] = (signed char)t;
        if (t >= 0 && --p->job[t].left == 0)
            p->job[t].pc++;
    }
}

static bool all_done(const struct play *p)
{
    for (int t = 0; t < p->set->tasks; t++) {
        if (p->job[t].active || p->job[t].started < p->set->task[t].jobs)
            return false;
    }
    return true;
}

void sim_play(const struct sim_set *set, const struct sim_rules *rules, struct sim_trace *trace)
{
    struct play p = {.set = set, .rules = rules, .trace = trace};

    trace->events = 0;
    trace->wrong = NULL;
    p.me = rules->begin(set);
    for (int t = 0; t < set->tasks; t++)
        p.job[t].wakes_at = -1;
    for (; p.tick < SIM_TICKS && !all_done(&p); p.tick++) {
        /* What ends now ends before anything else begins: it takes no more than its time. */
        if (set->leaves_out && !collect_left(&p))
            break;
        for (int t = 0; t < set->tasks; t++) {
            bool wakes = p.job[t].wakes_at == p.tick;

            if (wakes) {
                p.job[t].wakes_at = -1;
                tell(&p, SIM_WOKE, t, -1);
            }
            if (release(&p, t) || wakes)
                rules->wake(p.me, t);
        }
        if (!collect_left(&p))
            break;
        run_tick(&p);
    }
    trace->ticks = p.tick;
    trace->finished = all_done(&p);
    if (trace->wrong == NULL)
        trace->wrong = rules->wrong(p.me);
    rules->end(p.me);
}

static bool is_same(struct sim_event a, struct sim_event b)
{
    return a.tick == b.tick && a.kind == b.kind && a.task == b.task && a.lock == b.lock;
}

int sim_compare(const struct sim_set *set, const struct sim_trace *a, const struct sim_trace *b)
{
    int ticks = a->ticks < b->ticks ? a->ticks : b->ticks;
    int events = a->events < b->events ? a->events : b->events;
    int first = a->ticks == b->ticks ? -1 : ticks;

    for (int i = ticks - 1; i >= 0; i--) {
        if (memcmp(a->ran[i], b->ran[i], (size_t)set->cpus) != 0)
            first = i;
    }
    for (int i = 0; i < events; i++) {
        int tick = a->event[i].tick < b->event[i].tick ? a->event[i].tick : b->event[i].tick;

        if (!is_same(a->event[i], b->event[i]))
            return first < 0 || tick < first ? tick : first;
    }
    return first < 0 && a->events != b->events ? ticks : first;
}

void sim_trace_print(const struct sim_set *set, const struct sim_trace *trace, int first, int last,
                     FILE *out)
{
    static const char *const words[] = {"is released", "is done", "asks for", "gets",
                                        "leaves",      "sleeps",  "wakes"};
    int e = 0;

    for (int tick = first < 0 ? 0 : first; tick <= last && tick <= trace->ticks; tick++) {
        fprintf(out, "    %4d ", tick);
        for (int c = 0; c < set->cpus && tick < trace->ticks; c++) {
            if (trace->ran[tick][c] < 0)
                fprintf(out, "  .");
            else
                fprintf(out, " %2d", trace->ran[tick][c]);
        }
        while (e < trace->events && trace->event[e].tick < tick)
            e++;
        for (; e < trace->events && trace->event[e].tick == tick; e++) {
            fprintf(out, "; %d %s", trace->event[e].task, words[trace->event[e].kind]);
            if (trace->event[e].lock >= 0)
                fprintf(out, " %d", trace->event[e].lock);
        }
        fprintf(out, "\n");
    }
}
