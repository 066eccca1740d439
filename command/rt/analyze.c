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
#include "command/print/json.h"
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
    {"tier", 't', "A|B", 0, "only what that tier has, and what its bounds rely on (both)", 0},
    {"section-cost", 's', "US", 0, "microseconds that each section takes longer (0)", 0},
    {"wake-cost", 'w', "US", 0,
     "microseconds from a release or wake-up to its dispatch; of more urgent jobs twice (0)", 0},
    {"tick", 'k', "US", 0, "microseconds of the kernel's tick, for tier B (this kernel's)", 0},
    {"json", 'j', NULL, 0, "print JSON", 0},
    {0},
};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .args_doc = "TASKSET",
    .doc =
        "Bound the blocking and the response times of a task set.\v"
        "TASKSET is a file of JSON (\"-\": standard input); doc/guide/real-time.md describes it.  "
        "Shown "
        "are, for each protocol that fits, how long a job is blocked at most, when it is finished "
        "at the latest, both in microseconds, and whether that is in time.  \"Blocked\" is a job "
        "that neither executes nor sleeps of its own accord, while no task of its CPU with a "
        "higher priority executes.  Where there is no bound there is a dash.\n\n"
        "The bounds are those of Sha, Rajkumar and Lehoczky (1990) for PIP, IPCP and PCP, of "
        "Rajkumar (1990) and Lakshmanan et al. (2009) for MPCP, and of Brandenburg (2014) for "
        "FMLP+; command/rt/analysis/analysis.h has the formulas.  MPCP-DU and FMLP+-DU have the "
        "bounds of MPCP and FMLP+, in tier A under a condition, which is shown: tasks that wait "
        "must have the right to raise the owner of the lock.  With --tier B responses have what "
        "that tier's scheduler gives to blocked tasks and to starved threads above all priorities: "
        "nothing, as long as no task with locks is there for 250 ms, and no CPU busy for a second. "
        " Not counted are interrupts and, apart from those, threads that are no tasks.\n\n"
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

static void print_conditions(const struct family *f, int tier)
{
    for (int p = f->first; p <= f->last; p++)
        if (condition_of(p, tier) != NULL)
            printf("  %s in tier A: the bounds hold if %s.\n",
                   fw_rt_protocol_name((fw_rt_protocol)p), condition_of(p, tier));
}

static void print_time(uint64_t ns)
{
    if (ns == ANALYSIS_NO_BOUND)
        printf("  %10s", "-");
    else
        printf("  %10.3f", (double)ns / 1e3);
}

static void print(const struct taskset *set, const struct analysis *a, const struct family *f,
                  int tier)
{
    char name[80];

    name_family(f, name, sizeof name, tier);
    if (a->unfit[0] != 0) {
        printf("\n%s: not for this set: %s\n", name, a->unfit);
        return;
    }
    printf("\n%s: %s\n", name, a->is_schedulable ? "schedulable" : "not schedulable");
    print_conditions(f, tier);
    printf("  %-15s %3s %8s  %10s  %10s  %10s  %10s\n", "task", "cpu", "priority", "execution",
           "blocking", "response", "deadline");
    for (int i = 0; i < set->tasks; i++) {
        const struct taskset_task *t = &set->task[i];
        printf("  %-15s %3d %8d", rt_set_visible(t->name), t->cpu, t->priority);
        print_time(t->execution);
        print_time(a->task[i].blocking);
        print_time(a->task[i].response);
        print_time(t->deadline);
        puts(a->task[i].response > t->deadline ? "  late" : "");
    }
}

static json_t *to_json(const struct taskset *set, const struct analysis *a, const struct family *f,
                       int tier)
{
    json_t *names = json_array(), *tasks = json_array(), *conditions = json_array();

    for (int p = f->first; p <= f->last; p++) {
        const char *name = fw_rt_protocol_name((fw_rt_protocol)p);
        if (is_of_tier(p, tier))
            json_array_append_new(names, json_string(name));
        if (condition_of(p, tier) != NULL)
            json_array_append_new(conditions,
                                  json_pack("{s:s s:s s:s}", "protocol", name, "tier", "A",
                                            "bounds_hold_if", condition_of(p, tier)));
    }
    for (int i = 0; i < set->tasks && a->unfit[0] == 0; i++)
        json_array_append_new(tasks,
                              json_pack("{s:s s:o s:o s:o s:b}", "name", set->task[i].name,
                                        "blocking_us", rt_set_us(a->task[i].blocking),
                                        "response_us", rt_set_us(a->task[i].response),
                                        "deadline_us", rt_set_us(set->task[i].deadline), "in_time",
                                        a->task[i].response <= set->task[i].deadline));
    return json_pack("{s:o s:o s:b s:o s:o}", "protocols", names, "unfit",
                     a->unfit[0] != 0 ? json_string(a->unfit) : json_null(), "schedulable",
                     a->is_schedulable, "conditions", conditions, "tasks", tasks);
}

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
static bool analyze(const struct rt_set_options *o, const struct taskset *set, json_t *list)
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
        if (list != NULL)
            json_array_append_new(list, to_json(set, &a, &f, o->tier));
        else
            print(set, &a, &f, o->tier);
    }
    return is_good;
}

static int run(int argc, char **argv)
{
    struct rt_set_options o = {0};
    const struct taskset *set;
    bool is_good;

    argp_parse(&command_line, argc, argv, 0, NULL, &o);
    set = rt_set_read(&o);
    check_tier(&o);
    if (o.as_json) {
        json_t *list = json_array(), *whole;
        is_good = analyze(&o, set, list);
        whole = json_pack("{s:s s:o}", "format", "furwock-rt-analysis-1", "analyses", list);
        command_print_json(whole);
    } else {
        printf("%s: %d task%s, %d lock%s; times in microseconds\n", rt_set_visible(o.path),
               set->tasks, set->tasks == 1 ? "" : "s", set->locks, set->locks == 1 ? "" : "s");
        is_good = analyze(&o, set, NULL);
    }
    return is_good ? EXIT_SUCCESS : COMMAND_FAILED;
}

const struct command rt_verb_analyze = {
    .name = "analyze",
    .about = "bounds on the blocking and response times of a set",
    .run = run,
};
