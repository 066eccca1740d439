/* SPDX-License-Identifier: MIT */
#include <argp.h>
#include <errno.h>
#include <furwock/rt.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "command/print/print.h"
#include "command/rt/analysis/analysis.h"
#include "rt.h"
#include "set.h"

/* Protocols with the same bounds, with the number of the first. */
static const struct family {
    int first, last;
} families[] = {{FW_RT_PIP, FW_RT_PIP},
                {FW_RT_IPCP, FW_RT_PCP_DU_PF},
                {FW_RT_MPCP, FW_RT_MPCP_DU},
                {FW_RT_FMLP, FW_RT_FMLP_DU}};

enum { FAMILIES = sizeof families / sizeof *families };

/* What the bounds of MPCP-DU and FMLP+-DU need in tier A, and no task set says (rt/raise.c). */
static const char *const condition_in_a =
    "each task that waits may raise the owner of the lock (all tasks are of one user, with a "
    "RLIMIT_RTPRIO of 98, or have CAP_SYS_NICE), or all threads of the owner's CPU sleep only in "
    "the library";

/* NULL: none.  `tier`: FW_RT_TIER_ANY, if any will do. */
static const char *condition_of(int protocol, int tier)
{
    bool is_raised = protocol == FW_RT_MPCP_DU || protocol == FW_RT_FMLP_DU;

    return is_raised && tier != FW_RT_TIER_B ? condition_in_a : NULL;
}

static bool is_of_tier(int protocol, int tier)
{
    return (tier != FW_RT_TIER_A || protocol != FW_RT_PCP_DU_PF) &&
           (tier != FW_RT_TIER_B || protocol != FW_RT_PIP);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    return rt_set_parse(key, arg, state->input);
}

static const struct argp_option options[] = {
    {"protocol", 'p', "NAME", 0, "only this one (also where the file names one)", 0},
    {"tier", 't', "A|B", 0, "only the protocols of that tier, and what its bounds rely on (both)",
     0},
    {"section-cost", 's', "US", 0, "microseconds that each section takes longer (0)", 0},
    {"wake-cost", 'w', "US", 0,
     "microseconds from a release or wake-up to its dispatch; of more urgent jobs twice (0)", 0},
    {"tick", 'k', "US", 0, "microseconds of the kernel's tick, for tier B (this kernel's)", 0},
    COMMAND_JSON_OPTION,
    {0},
};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .args_doc = "TASKSET",
    .doc = "Bound the blocking and the response times of a task set.\v"
           "TASKSET is a file of JSON (\"-\": standard input); doc/guide/real-time.md describes "
           "it.  For each applicable protocol this shows how long a job is blocked at most, its "
           "worst-case response time, both in microseconds, and whether it meets its deadline.  A "
           "job is \"blocked\" while it neither executes nor sleeps of its own accord, and no task "
           "of its CPU with a higher priority executes.  A dash means that there is no bound.\n\n"
           "The bounds are those of Sha, Rajkumar and Lehoczky (1990) for PIP, IPCP and PCP, of "
           "Rajkumar (1990) and Lakshmanan et al. (2009) for MPCP, and of Brandenburg (2014) for "
           "FMLP+; command/rt/analysis/analysis.h has the formulas.  MPCP-DU and FMLP+-DU have the "
           "bounds of MPCP and FMLP+, in tier A under a condition, which is shown: waiting tasks "
           "must have the right to raise the owner of the lock.  With --tier B response times "
           "include what that tier's scheduler gives to blocked tasks and to starved threads above "
           "all priorities: nothing, as long as no task with locks is ready for 250 ms, and no CPU "
           "is busy for a second.  Interrupts are not included, nor are other threads that are not "
           "tasks.\n\n"
           "The exit status is 1 if the set is schedulable under none of the protocols shown.",
};

/* "IPCP, PCP, PCP-DU-BOOL, PCP-DU-PF", or the one that was asked for. */
static void name_family(const struct family *f, char *name, size_t size, int tier)
{
    size_t used = 0;

    name[0] = 0;
    for (int p = f->first; p <= f->last && used < size; p++)
        if (is_of_tier(p, tier))
            used += (size_t)snprintf(name + used, size - used, "%s%s", used != 0 ? ", " : "",
                                     fw_rt_protocol_name((fw_rt_protocol)p));
}

/* A task with its bounds. */
struct row {
    const char *name;
    int cpu, priority;
    uint64_t execution, blocking, response, deadline;
    bool in_time;
};

static void end_row(const struct printer *p, const void *record, const void *context)
{
    const struct row *row = record;

    (void)context;
    print_words(p, "%s\n", row->in_time ? "" : "  late");
}

#define TIME .width = 10, .digits = 3, .before = "  "

static const struct print_field fields[] = {
    {PRINT_FIELD("name", "task", PRINT_TEXT, row, name), .width = -15, .before = "  ",
     .format = print_visible},
    {PRINT_FIELD(NULL, "cpu", PRINT_INT, row, cpu), .width = 3},
    {PRINT_FIELD(NULL, "priority", PRINT_INT, row, priority), .width = 8},
    {PRINT_FIELD(NULL, "execution", PRINT_US, row, execution), TIME},
    {PRINT_FIELD("blocking_us", "blocking", PRINT_US, row, blocking), TIME},
    {PRINT_FIELD("response_us", "response", PRINT_US, row, response), TIME},
    {PRINT_FIELD("deadline_us", "deadline", PRINT_US, row, deadline), TIME},
    {PRINT_FIELD("in_time", NULL, PRINT_BOOL, row, in_time)},
};
static const struct print_record task_record = PRINT_RECORD(fields, end_row);

static void print_tasks(const struct printer *p, const struct taskset *set,
                        const struct analysis *a)
{
    static struct row rows[TASKSET_TASKS];

    for (int i = 0; i < set->tasks; i++) {
        const struct taskset_task *t = &set->task[i];
        rows[i] = (struct row){.name = t->name,
                               .cpu = t->cpu,
                               .priority = t->priority,
                               .execution = t->execution,
                               .blocking = a->task[i].blocking,
                               .response = a->task[i].response,
                               .deadline = t->deadline,
                               .in_time = a->task[i].response <= t->deadline};
    }
    print_list(p, "tasks", &task_record, rows, (size_t)set->tasks, sizeof *rows, NULL);
}

static void print_conditions(const struct printer *p, const struct family *f, int tier)
{
    json_t *all = json_array();

    for (int i = f->first; i <= f->last; i++) {
        const char *name = fw_rt_protocol_name((fw_rt_protocol)i);
        if (condition_of(i, tier) == NULL)
            continue;
        print_words(p, "  %s in tier A: the bounds hold if %s.\n", name, condition_of(i, tier));
        json_array_append_new(all, json_pack("{s:s s:s s:s}", "protocol", name, "tier", "A",
                                             "bounds_hold_if", condition_of(i, tier)));
    }
    print_member(p, "conditions", all);
}

static json_t *protocols_json(const struct family *f, int tier)
{
    json_t *names = json_array();

    for (int i = f->first; i <= f->last; i++)
        if (is_of_tier(i, tier))
            json_array_append_new(names, json_string(fw_rt_protocol_name((fw_rt_protocol)i)));
    return names;
}

/* One analysis: a title with a table under it, or an object. */
struct result {
    const struct taskset *set;
    const struct analysis *a;
    const struct family *f;
    int tier;
};

static void print_result(const struct printer *p, const void *record, const void *context)
{
    const struct result *r = record;
    bool is_fit = r->a->unfit[0] == '\0';
    char name[80];

    (void)context;
    name_family(r->f, name, sizeof name, r->tier);
    print_member(p, "protocols", protocols_json(r->f, r->tier));
    print_member(p, "unfit", is_fit ? json_null() : json_string(r->a->unfit));
    print_member(p, "schedulable", json_boolean(r->a->is_schedulable));
    if (is_fit)
        print_words(p, "\n%s: %s\n", name,
                    r->a->is_schedulable ? "schedulable" : "not schedulable");
    else
        print_words(p, "\n%s: not for this set: %s\n", name, r->a->unfit);
    if (is_fit || p->json != NULL)
        print_conditions(p, r->f, r->tier);
    if (is_fit)
        print_tasks(p, r->set, r->a);
    else
        print_member(p, "tasks", json_array());
}

static const struct print_record result_record = {.more = print_result};

/* With --tier A the condition is to be noticed where only the tables or the JSON are read. */
static void warn(const struct family *f, int tier)
{
    for (int p = f->first; p <= f->last && tier == FW_RT_TIER_A; p++)
        if (condition_of(p, tier) != NULL)
            command_warn("warning: the bounds of %s hold in tier A if %s",
                         fw_rt_protocol_name((fw_rt_protocol)p), condition_of(p, tier));
}

static void check_tier(const struct rt_set_options *o)
{
    if (o->protocol != 0 && !is_of_tier(o->protocol, o->tier))
        command_die(COMMAND_USAGE, "tier %s has no %s", o->tier == FW_RT_TIER_A ? "A" : "B",
                    fw_rt_protocol_name((fw_rt_protocol)o->protocol));
}

/* Is it schedulable under one of those that were asked for? */
static bool analyze(const struct rt_set_options *o, const struct taskset *set,
                    const struct printer *p)
{
    bool is_good = false;

    for (int i = 0; i < FAMILIES; i++) {
        struct family f = families[i];
        struct analysis a;
        if (o->protocol != 0 && (o->protocol < f.first || o->protocol > f.last))
            continue;
        if (o->protocol != 0)
            f.first = f.last = o->protocol;
        else if (!is_of_tier(f.last, o->tier) && f.first == f.last)
            continue;
        analysis_make(&a, set, f.first, o->costs);
        is_good |= a.is_schedulable;
        if (a.unfit[0] == 0)
            warn(&f, o->tier);
        print_append(p, "analyses", &result_record, &(struct result){set, &a, &f, o->tier}, NULL);
    }
    return is_good;
}

static int run(int argc, char **argv)
{
    struct rt_set_options o = {0};
    const struct taskset *set;
    struct printer p;
    bool is_good;

    argp_parse(&command_line, argc, argv, 0, NULL, &o);
    set = rt_set_read(&o);
    check_tier(&o);
    p = print_begin(o.as_json, "furwock-rt-analysis-1");
    print_words(&p, "%s: %d task%s, %d lock%s; times in microseconds\n", rt_set_visible(o.path),
                set->tasks, print_plural((unsigned long)set->tasks), set->locks,
                print_plural((unsigned long)set->locks));
    is_good = analyze(&o, set, &p);
    print_end(&p);
    return is_good ? EXIT_SUCCESS : COMMAND_FAILED;
}

const struct command rt_verb_analyze = {
    .name = "analyze",
    .about = "bounds on the blocking and response times of a set",
    .run = run,
};
