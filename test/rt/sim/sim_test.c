/* SPDX-License-Identifier: MIT */
/*
 * Random task sets under rt/decide.h: each schedule is compared with the oracle's, step by step,
 * and held against the properties.  With --faults, the same for the copies of decide.h that are
 * wrong in one place each: every one has to be found out.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "properties.h"
#include "subject.h"

/* A fault shows in that many sets of each kind, or it counts as missed. */
#define SETS_FOR_FAULTS 4000
/* This many more are tried, once it has been seen, for one that breaks a property as well. */
#define SETS_FOR_PROPERTIES 100

static struct sim_options options;

static struct sim_trace expected, seen;

static const char *const way_names[SIM_WAYS] = {"each call asks", "deferred updates", "proxies"};

/* Plays one set; NULL: all is well, else what is not, and when. */
static const char *evaluate(const struct sim_set *set, const struct sim_rules *rules, int *tick)
{
    struct sim_finding found;

    sim_play(set, rules, &seen);
    found = sim_check(set, &seen);
    *tick = found.tick;
    if (found.what != NULL)
        return found.what;
    *tick = sim_compare(set, &expected, &seen);
    return *tick >= 0 ? "not what the oracle does" : NULL;
}

static bool expect(const struct sim_set *set)
{
    struct sim_finding found;

    sim_play(set, &sim_oracle, &expected);
    found = sim_check(set, &expected);
    if (found.what == NULL)
        return true;
    sim_set_print(set, stdout);
    printf("the oracle is wrong, tick %d, task %d: %s\n", found.tick, found.task, found.what);
    sim_trace_print(set, &expected, found.tick - 20, found.tick + 2, stdout);
    return false;
}

static bool check_set(const struct sim_set *set)
{
    if (!expect(set))
        return false;
    for (enum sim_way way = 0; way < SIM_WAYS; way++) {
        const char *what;
        int tick;

        if (!sim_has_way(set, way))
            continue;
        what = evaluate(set, sim_shipped.way[way], &tick);
        if (what == NULL)
            continue;
        sim_set_print(set, stdout);
        printf("%s, tick %d: %s\n  expected (who runs on each CPU; what happened)\n",
               way_names[way], tick, what);
        sim_trace_print(set, &expected, tick - 20, tick + 2, stdout);
        printf("  seen\n");
        sim_trace_print(set, &seen, tick - 20, tick + 2, stdout);
        printf("again: --kind=%s --sets=1 --seed=%" PRIu64 "\n", sim_kind_name(set->kind),
               set->seed);
        return false;
    }
    return true;
}

static int check_shipped(void)
{
    struct sim_set set;

    for (uint32_t kind = FW_RT_KIND_PIP; kind <= FW_RT_KIND_FMLP; kind++) {
        unsigned long ticks = 0, events = 0;

        if (options.kind != 0 && kind != options.kind)
            continue;
        for (unsigned i = 0; i < options.sets; i++) {
            sim_set_make(&set, kind, options.seed + i);
            if (!check_set(&set))
                return EXIT_FAILURE;
            ticks += (unsigned long)expected.ticks;
            events += (unsigned long)expected.events;
        }
        printf("%-5s %u sets, %lu ticks, %lu events: as the oracle has them\n", sim_kind_name(kind),
               options.sets, ticks, events);
    }
    return EXIT_SUCCESS;
}

/* How a fault is found out, and where it is first. */
struct capture {
    const char *property; /* the first property that fails */
    const char *compared;
    struct sim_set set;
};

static struct capture look_for(const struct sim_fault *fault)
{
    struct capture capture = {NULL, NULL, {0}};
    struct sim_set set;
    unsigned last = SETS_FOR_FAULTS;

    for (unsigned i = 0; i < last && capture.property == NULL; i++) {
        for (uint32_t kind = FW_RT_KIND_PIP; kind <= FW_RT_KIND_FMLP; kind++) {
            sim_set_make(&set, kind, options.seed + i);
            sim_play(&set, &sim_oracle, &expected);
            for (enum sim_way way = 0; way < SIM_WAYS; way++) {
                const char *what = NULL;
                int tick;

                if (sim_has_way(&set, way))
                    what = evaluate(&set, fault->subject->way[way], &tick);
                if (what == NULL)
                    continue;
                if (capture.compared == NULL) {
                    capture.compared = what;
                    capture.set = set;
                    last = i + SETS_FOR_PROPERTIES;
                }
                if (what[0] == 'P')
                    capture.property = what;
            }
        }
    }
    return capture;
}

static int check_faults(void)
{
    int missed = 0, count = 0;

    for (const struct sim_fault *f = sim_faults; f->subject != NULL; f++, count++) {
        struct capture c = look_for(f);

        if (c.compared == NULL) {
            printf("%-28s MISSED: %s\n", f->subject->name, f->about);
            missed++;
            continue;
        }
        printf("%-28s %s, seed %" PRIu64 "; %s\n", f->subject->name, sim_kind_name(c.set.kind),
               c.set.seed, c.property != NULL ? c.property : "no property, only the oracle");
    }
    printf("%d faults, %d missed\n", count, missed);
    return missed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    options = sim_options_of(argc, argv, "Random task sets under rt/decide.h.");
    printf("--seed=%" PRIu64 "\n", options.seed);
    return options.faults ? check_faults() : check_shipped();
}
