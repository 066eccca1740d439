/* SPDX-License-Identifier: MIT */
/*
 * Random task sets under rt/decide.h, against the bounds of command/rt/analysis: no job is blocked
 * for longer, or takes longer, than the bounds say.  A tick counts as TICK_NS.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/rt.h>

#include "command/rt/analysis/analysis.h"
#include "play.h"
#include "subject.h"

#define TICK_NS 1000u

static struct sim_options options;
static struct sim_trace trace;
static struct taskset taskset;
static struct analysis bounds;

/* What is seen of one kind of lock. */
struct seen {
    unsigned long jobs, bounded; /* jobs, and those for which there is a bound of blocking */
    unsigned long met;           /* blocked for just as long as the bound says */
    double nearest;              /* the longest blocking, as a part of its bound */
};

static int protocol_of(uint32_t kind)
{
    static const int protocols[] = {[FW_RT_KIND_PIP] = FW_RT_PIP,
                                    [FW_RT_KIND_IPCP] = FW_RT_IPCP,
                                    [FW_RT_KIND_PCP] = FW_RT_PCP_DU,
                                    [FW_RT_KIND_MPCP] = FW_RT_MPCP_DU,
                                    [FW_RT_KIND_FMLP] = FW_RT_FMLP_DU};

    return protocols[kind];
}

static void add_sections(const struct sim_task *from, struct taskset_task *to)
{
    int open[SIM_LOCKS], depth = 0;

    for (int i = 0; i < from->ops; i++) {
        int value = from->op[i].value;

        switch (from->op[i].what) {
        case SIM_LOCK:
            to->section[to->sections].lock = value;
            to->section[to->sections].outer = depth > 0 ? open[depth - 1] : TASKSET_NONE;
            to->section[to->sections].length = 0;
            open[depth++] = to->sections++;
            break;
        case SIM_UNLOCK:
            depth--;
            break;
        case SIM_RUN:
            for (int k = 0; k < depth; k++)
                to->section[open[k]].length += (uint64_t)value * TICK_NS;
            break;
        default:
            break;
        }
    }
}

/* The same set as the analysis has it. */
static void translate(const struct sim_set *set)
{
    memset(&taskset, 0, sizeof taskset);
    taskset.protocol = protocol_of(set->kind);
    taskset.tasks = set->tasks;
    taskset.locks = set->locks;
    for (int t = 0; t < set->tasks; t++) {
        const struct sim_task *from = &set->task[t];
        struct taskset_task *to = &taskset.task[t];

        to->cpu = from->cpu;
        to->priority = from->base;
        to->period = to->deadline = (uint64_t)from->period * TICK_NS;
        to->execution = (uint64_t)sim_ticks(from, SIM_RUN) * TICK_NS;
        to->suspension = (uint64_t)sim_ticks(from, SIM_SLEEP) * TICK_NS;
        for (int i = 0; i < from->ops; i++)
            to->suspensions += from->op[i].what == SIM_SLEEP;
        add_sections(from, to);
    }
}

/* How one job went. */
struct job {
    bool active, asleep;
    int released;
    int blocked; /* ticks in which neither it nor a more urgent task of its CPU executed */
};

static bool exceeds(uint64_t bound, int ticks)
{
    return bound != ANALYSIS_NO_BOUND && (uint64_t)ticks * TICK_NS > bound;
}

static bool check_job(const struct sim_set *set, int t, const struct job *job, int tick,
                      struct seen *seen)
{
    struct analysis_bound bound = bounds.task[t];
    int took = tick - job->released;

    seen->jobs++;
    if (bound.blocking != ANALYSIS_NO_BOUND) {
        seen->bounded++;
        seen->met += (uint64_t)job->blocked * TICK_NS == bound.blocking && job->blocked > 0;
        if (bound.blocking != 0 &&
            (double)job->blocked * TICK_NS / (double)bound.blocking > seen->nearest)
            seen->nearest = (double)job->blocked * TICK_NS / (double)bound.blocking;
    }
    if (!exceeds(bound.blocking, job->blocked) && !exceeds(bound.response, took))
        return true;
    sim_set_print(set, stdout);
    printf("task %d, done at %d: blocked for %d ticks, bound %" PRIu64
           " ns; took %d, bound %" PRIu64 " ns (a tick is %u ns)\n",
           t, tick, job->blocked, bound.blocking, took, bound.response, TICK_NS);
    sim_trace_print(set, &trace, job->released - 10, tick + 1, stdout);
    return false;
}

static void count_tick(const struct sim_set *set, struct job job[], int tick)
{
    for (int t = 0; t < set->tasks; t++) {
        int ran = trace.ran[tick][set->task[t].cpu];

        if (job[t].active && !job[t].asleep && (ran < 0 || set->task[ran].base < set->task[t].base))
            job[t].blocked++;
    }
}

static bool check_trace(const struct sim_set *set, struct seen *seen)
{
    struct job job[SIM_TASKS] = {0};
    int e = 0;

    for (int tick = 0; tick <= trace.ticks; tick++) {
        for (; e < trace.events && trace.event[e].tick == tick; e++) {
            struct job *it = &job[trace.event[e].task];

            switch (trace.event[e].kind) {
            case SIM_RELEASED:
                *it = (struct job){.active = true, .released = tick};
                break;
            case SIM_DONE:
                it->active = false;
                if (!check_job(set, trace.event[e].task, it, tick, seen))
                    return false;
                break;
            case SIM_SLEPT:
            case SIM_WOKE:
                it->asleep = trace.event[e].kind == SIM_SLEPT;
                break;
            default:
                break;
            }
        }
        if (tick < trace.ticks)
            count_tick(set, job, tick);
    }
    return true;
}

static bool check_kind(uint32_t kind)
{
    struct seen seen = {0};
    struct sim_set set;
    unsigned fit = 0;

    for (unsigned i = 0; i < options.sets; i++) {
        sim_set_make_bounded(&set, kind, options.seed + i);
        translate(&set);
        analysis_make(&bounds, &taskset, taskset.protocol, (struct analysis_costs){0});
        if (bounds.unfit[0] != '\0')
            continue;
        fit++;
        for (enum sim_way way = SIM_DEFERRED; way < SIM_WAYS; way++) {
            if (!sim_has_way(&set, way))
                continue;
            sim_play(&set, sim_shipped.way[way], &trace);
            if (trace.wrong == NULL && check_trace(&set, &seen))
                continue;
            printf("seed %" PRIu64 ", way %d: %s\n", set.seed, (int)way,
                   trace.wrong != NULL ? trace.wrong : "above a bound");
            return false;
        }
    }
    printf("%-5s %u sets, %lu jobs, %lu with a bound, %lu met it; longest blocking: %.2f of it\n",
           sim_kind_name(kind), fit, seen.jobs, seen.bounded, seen.met, seen.nearest);
    return true;
}

int main(int argc, char **argv)
{
    bool is_good = true;

    options = sim_options_of(argc, argv, "Random task sets under rt/decide.h, and their bounds.");
    printf("--seed=%" PRIu64 "\n", options.seed);
    for (uint32_t kind = FW_RT_KIND_PIP; kind <= FW_RT_KIND_FMLP; kind++)
        if (options.kind == 0 || kind == options.kind)
            is_good = check_kind(kind) && is_good;
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
