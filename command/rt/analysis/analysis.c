/* SPDX-License-Identifier: MIT */
#include "command/rt/analysis/analysis.h"

#include <stdio.h>
#include <stdlib.h>

#include <furwock/rt.h>

#include "command/rt/analysis/parts.h"

/* Sums of one task each; about a second. */
static const uint64_t most_effort = 100 * 1000 * 1000;

struct method {
    uint64_t (*blocking)(struct study *s, int task);
    bool is_for_one_cpu, can_nest;
};

static const struct method pip = {study_pip, true, true};
static const struct method ceiling = {study_ceiling_blocking, true, true};
static const struct method mpcp = {study_mpcp, false, false};
static const struct method fmlp = {study_fmlp, false, false};

static const struct method *method_of(int protocol)
{
    switch (protocol) {
    case FW_RT_PIP:
        return &pip;
    case FW_RT_IPCP:
    case FW_RT_PCP:
    case FW_RT_PCP_DU:
    case FW_RT_PCP_DU_PF:
        return &ceiling;
    case FW_RT_MPCP:
    case FW_RT_MPCP_DU:
        return &mpcp;
    case FW_RT_FMLP:
    case FW_RT_FMLP_DU:
        return &fmlp;
    default:
        return NULL;
    }
}

static bool is_fit(struct analysis *a, const struct taskset *set, const struct method *m)
{
    a->unfit[0] = 0;
    if (m == NULL)
        snprintf(a->unfit, sizeof a->unfit, "there is no such protocol");
    else if (!m->can_nest && taskset_is_nested(set))
        snprintf(a->unfit, sizeof a->unfit, "it allows no sections inside of sections");
    else if (m == &pip && study_has_circle(set))
        snprintf(a->unfit, sizeof a->unfit, "the locks are nested in a circle: it may deadlock");
    for (int l = 0; a->unfit[0] == 0 && m->is_for_one_cpu && l < set->locks; l++)
        if (!study_is_on_one_cpu(set, l))
            snprintf(a->unfit, sizeof a->unfit, "lock \"%s\" is used on more than one CPU",
                     set->lock[l]);
    return a->unfit[0] == 0;
}

/* The set with all that it costs to run it. */
static struct taskset *add_costs(const struct taskset *set, struct analysis_costs costs)
{
    struct taskset *more = malloc(sizeof *more);

    if (more == NULL)
        abort();
    *more = *set;
    for (int i = 0; i < more->tasks; i++) {
        struct taskset_task *t = &more->task[i];
        t->execution += costs.section * (uint64_t)t->sections;
        for (int k = 0; k < t->sections; k++)
            for (int o = k; o != TASKSET_NONE; o = t->section[o].outer)
                t->section[o].length += costs.section;
    }
    return more;
}

/* May the more urgent tasks of its CPU, or the task itself, let their CPU go in between? */
static bool may_be_late(const struct study *s, int task)
{
    const struct taskset_task *own = &s->set->task[task];

    for (int o = 0; o < s->set->tasks; o++) {
        const struct taskset_task *t = &s->set->task[o];
        if (t->cpu != own->cpu || t->priority < own->priority)
            continue;
        if (t->suspensions > 0 || (o != task && s->response[o] > t->period))
            return true;
    }
    return false;
}

/* One round; false: nothing has changed. */
static bool go_on(struct study *s, const struct method *m, struct analysis *a,
                  struct analysis_costs costs)
{
    bool has_changed = false;

    if (costs.tick != 0)
        study_scheduler(s, costs.tick, costs.wake);
    for (int i = 0; i < s->set->tasks; i++) {
        uint64_t blocking = plus(m->blocking(s, i), s->wakes[i]);
        bool is_late = !m->is_for_one_cpu || may_be_late(s, i);
        uint64_t response = study_response(s, i, blocking, is_late);
        a->task[i].blocking = blocking;
        has_changed |= response != s->response[i];
        s->response[i] = response;
    }
    return has_changed;
}

void analysis_make(struct analysis *a, const struct taskset *set, int protocol,
                   struct analysis_costs costs)
{
    const struct method *m = method_of(protocol);
    struct study s = {.effort = most_effort};
    struct taskset *costly;

    *a = (struct analysis){.is_schedulable = false};
    if (!is_fit(a, set, m))
        return;
    costly = add_costs(set, costs);
    s.set = costly;
    if (m == &mpcp)
        study_holding(&s);
    for (int i = 0; i < set->tasks; i++) {
        s.response[i] = costly->task[i].execution;
        s.wakes[i] = times(study_stretches(costly, i, !m->is_for_one_cpu), costs.wake);
    }
    while (go_on(&s, m, a, costs))
        continue;
    a->is_schedulable = true;
    for (int i = 0; i < set->tasks; i++) {
        a->task[i].response = s.response[i];
        if (s.response[i] > set->task[i].deadline)
            a->is_schedulable = false;
    }
    free(costly);
}
