/* SPDX-License-Identifier: MIT */
#include "set.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "measure/rng.h"

/* What the making of one program needs to know. */
struct maker {
    struct rng rng;
    struct sim_set *set;
    struct sim_task *task;
    uint32_t held;
    int depth;
};

static bool is_local(uint32_t kind)
{
    return kind == FW_RT_KIND_IPCP || kind == FW_RT_KIND_PCP || kind == FW_RT_KIND_PIP;
}

static int between(struct maker *m, int low, int high)
{
    return low + (int)rng_below(&m->rng, (uint32_t)(high - low + 1));
}

static bool chance(struct maker *m, int percent)
{
    return (int)rng_below(&m->rng, 100) < percent;
}

static void add(struct maker *m, enum sim_do what, int value)
{
    m->task->op[m->task->ops++] = (struct sim_op){what, value};
}

/*
 * A lock that the task may ask for here, or -1.  Locks of ceilings belong to one CPU.  Under PIP
 * nested locks are taken in one order: circles are the users' business there.
 */
static int choose_lock(struct maker *m)
{
    const struct sim_set *set = m->set;
    int d = between(m, 0, set->locks - 1);

    if (is_local(set->kind) && d % set->cpus != m->task->cpu)
        return -1;
    if (set->kind == FW_RT_KIND_PIP)
        return (m->held >> d) == 0 ? d : -1;
    return (m->held & (1u << d)) == 0 ? d : -1;
}

static void add_some(struct maker *m, int items);

static void add_section(struct maker *m)
{
    int deepest = is_local(m->set->kind) ? 3 : 1;
    int d = m->depth < deepest && m->task->ops < SIM_OPS - 12 ? choose_lock(m) : -1;

    if (d < 0)
        return;
    add(m, SIM_LOCK, d);
    m->held |= 1u << d;
    m->depth++;
    add_some(m, between(m, 1, 2));
    m->depth--;
    m->held &= ~(1u << d);
    add(m, SIM_UNLOCK, d);
}

static void add_some(struct maker *m, int items)
{
    bool sleeps = m->depth == 0 ? m->set->sleeps : m->set->sleeps_in_sections;

    while (items-- > 0 && m->task->ops < SIM_OPS - 8) {
        int what = between(m, 0, 9);

        if (what < 4)
            add(m, SIM_RUN, between(m, 1, 6));
        else if (what < 9)
            add_section(m);
        else if (sleeps)
            add(m, SIM_SLEEP, between(m, 1, 12));
    }
}

static void make_task(struct maker *m)
{
    struct sim_task *t = m->task;

    t->cpu = between(m, 0, m->set->cpus - 1);
    t->jobs = between(m, 1, SIM_JOBS);
    add_some(m, between(m, 2, 5));
    add(m, SIM_RUN, between(m, 1, 3));
    add(m, SIM_END, 0);
}

static void release_jobs(struct maker *m, int first, int period)
{
    m->task->period = period;
    for (int j = 0; j < m->task->jobs; j++) {
        m->task->release[j] = first;
        first += period + (chance(m, 50) ? between(m, 0, period / 2) : 0);
    }
}

int sim_ticks(const struct sim_task *task, enum sim_do what)
{
    int ticks = 0;

    for (int i = 0; i < task->ops; i++)
        ticks += task->op[i].what == what ? task->op[i].value : 0;
    return ticks;
}

/* Distinct priorities, in random order, with gaps. */
static void make_priorities(struct maker *m)
{
    struct sim_set *set = m->set;
    int base = 0;

    for (int t = 0; t < set->tasks; t++) {
        int other = between(m, 0, t);

        base += between(m, 1, 4);
        set->task[t].base = set->task[other].base;
        set->task[other].base = base;
    }
}

static void make(struct maker *m, uint32_t kind, uint64_t seed)
{
    struct sim_set *set = m->set;

    memset(set, 0, sizeof *set);
    rng_seed(&m->rng, seed);
    set->seed = seed;
    set->kind = kind;
    set->cpus = between(m, is_local(kind) ? 1 : 2, is_local(kind) ? 2 : SIM_CPUS);
    set->tasks = between(m, 2, SIM_TASKS);
    set->locks = between(m, 1, SIM_LOCKS);
    set->sleeps = chance(m, 60);
    for (int c = 0; c < set->cpus; c++)
        set->order[c] = c;
    if (set->cpus > 1 && chance(m, 50)) {
        set->order[0] = set->cpus - 1;
        set->order[set->cpus - 1] = 0;
    }
    make_priorities(m);
}

void sim_set_make(struct sim_set *set, uint32_t kind, uint64_t seed)
{
    struct maker m = {.set = set};

    make(&m, kind, seed);
    set->sleeps_in_sections = set->sleeps && chance(&m, 50);
    for (int t = 0; t < set->tasks; t++) {
        m.task = &set->task[t];
        make_task(&m);
        release_jobs(&m, between(&m, 0, 40), between(&m, 20, 90));
    }
}

void sim_set_make_bounded(struct sim_set *set, uint32_t kind, uint64_t seed)
{
    struct maker m = {.set = set};
    bool at_once;
    int load;

    make(&m, kind, seed);
    set->leaves_out = true;
    at_once = chance(&m, 50);
    load = between(&m, 60, 250);
    for (int t = 0; t < set->tasks; t++) {
        m.task = &set->task[t];
        make_task(&m);
    }
    for (int t = 0; t < set->tasks; t++) {
        int period, others = 0;

        m.task = &set->task[t];
        for (int i = 0; i < set->tasks; i++)
            others += set->task[i].cpu == m.task->cpu;
        period = sim_ticks(m.task, SIM_RUN) * others * load / 100 + sim_ticks(m.task, SIM_SLEEP);
        release_jobs(&m, between(&m, 0, at_once ? 12 : period), period);
    }
}

bool sim_uses(const struct sim_set *set, int t, int lock)
{
    const struct sim_task *task = &set->task[t];

    for (int i = 0; i < task->ops; i++) {
        if (task->op[i].what == SIM_LOCK && task->op[i].value == lock)
            return true;
    }
    return false;
}

const char *sim_kind_name(uint32_t kind)
{
    static const char *const names[] = {"none", "PIP", "IPCP", "PCP", "MPCP", "FMLP+"};

    return kind < sizeof names / sizeof *names ? names[kind] : "?";
}

void sim_set_print(const struct sim_set *set, FILE *out)
{
    static const char *const words[] = {"run", "sleep", "lock", "unlock", "end"};

    fprintf(out, "%s, seed %llu: %d CPUs (first %d), %d locks\n", sim_kind_name(set->kind),
            (unsigned long long)set->seed, set->cpus, set->order[0], set->locks);
    for (int t = 0; t < set->tasks; t++) {
        const struct sim_task *task = &set->task[t];

        fprintf(out, "  task %d: CPU %d, priority %d, released at", t, task->cpu, task->base);
        for (int j = 0; j < task->jobs; j++)
            fprintf(out, " %d", task->release[j]);
        fprintf(out, "\n   ");
        for (int i = 0; i < task->ops; i++) {
            fprintf(out, " %s", words[task->op[i].what]);
            if (task->op[i].what != SIM_END)
                fprintf(out, " %d", task->op[i].value);
        }
        fprintf(out, "\n");
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct sim_options *options = state->input;

    switch (key) {
    case 's':
        options->seed = strtoull(arg, NULL, 0);
        break;
    case 'n':
        options->sets = (unsigned)strtoul(arg, NULL, 0);
        break;
    case 'f':
        options->faults = true;
        break;
    case 'k':
        for (uint32_t k = FW_RT_KIND_PIP; k <= FW_RT_KIND_FMLP; k++) {
            if (strcmp(arg, sim_kind_name(k)) == 0)
                options->kind = k;
        }
        if (options->kind == 0)
            argp_error(state, "no such kind: %s (PIP, IPCP, PCP, MPCP, FMLP+)", arg);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option list[] = {
    {"seed", 's', "N", 0, "of the first set (1); the next ones count on from it", 0},
    {"sets", 'n', "N", 0, "how many of each kind (3000)", 0},
    {"kind", 'k', "NAME", 0, "only sets of this kind of lock", 0},
    {"faults", 'f', NULL, 0, "look for the seeded faults", 0},
    {0}};

struct sim_options sim_options_of(int argc, char **argv, const char *about)
{
    const struct argp argp = {list, parse, NULL, about, NULL, NULL, NULL};
    struct sim_options options = {.sets = 3000, .seed = 1};

    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0)
        exit(EXIT_FAILURE);
    return options;
}
