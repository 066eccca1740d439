/* SPDX-License-Identifier: MIT */
/*
 * condperf: what it costs to wake all who wait on a condition variable.
 *
 * After cond-perf, by which Ingo Molnar and Saurabh Desai showed what requeueing is good for
 * ("futex requeueing feature", linux-kernel, 19 May 2003).
 */
#include <stdlib.h>

#include "bench/adapters/cond_adapter.h"
#include "condperf.h"
#include "measure/clock.h"
#include "measure/turns.h"
#include "molnar.h"

enum {
    LIST_MAX = 16,
    WAITERS_MAX = 100000,
    ROUNDS_MAX = 1000000,
    SECTION_MAX = 100000,
    REPETITIONS = 11,
    ROUNDS_LEAST = 20, /* of a run; in each every thread has the CPU once */
    WAKES = 5000       /* of a run, about */
};

static const char baseline[] = "pthread";

struct command {
    struct bench_options common;
    unsigned waiters[LIST_MAX];
    size_t n_waiters;
    unsigned sections[LIST_MAX];
    size_t n_sections;
    unsigned rounds;
    bool free, signal, grid, published;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &c->common;
        return 0;
    case 'n':
        c->n_waiters = bench_numbers("--waiters", arg, 1, WAITERS_MAX, c->waiters, LIST_MAX);
        return 0;
    case 'c':
        c->n_sections = bench_numbers("--section", arg, 0, SECTION_MAX, c->sections, LIST_MAX);
        return 0;
    case 'r':
        c->rounds = (unsigned)bench_number("--rounds", arg, 1, ROUNDS_MAX);
        return 0;
    case 'u':
        c->free = true;
        return 0;
    case 's':
        c->signal = true;
        return 0;
    case 'g':
        c->grid = true;
        return 0;
    case 'p':
        c->published = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"waiters", 'n', "N[,N...]", 0, "threads that wait (100)", 0},
    {"rounds", 'r', "N", 0, "broadcasts in a run (20, or as many as it takes for 5000 wakes)", 0},
    {"section", 'c', "US[,US...]", 0, "time in the mutex after the wake, in us (0)", 0},
    {"unlocked", 'u', NULL, 0, "broadcast without holding the mutex", 0},
    {"signal", 's', NULL, 0, "as many signals as there are waiters, instead of a broadcast", 0},
    {"grid", 'g', NULL, 0, "100, 256 and 1000 waiters, each with sections of 0, 2 and 10 us", 0},
    {"published", 'p', NULL, 0,
     "cond-perf's two places of 2003, on 1, 2 and 4 CPUs, beside what was published; with "
     "--rounds, times are scaled to their number of rounds",
     0},
    {0},
};

static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .args_doc = "[LOCK...]",
    .children = children,
    .doc =
        "Wakes all who wait on a condition variable, again and again, and measures the time from "
        "the broadcast until the last of them has had the mutex and waits anew.  Compares each "
        "LOCK (all, where none is named) with the C library's, in turns.",
};

static void complete(struct command *c)
{
    static const unsigned waiters[] = {100, 256, 1000}, sections[] = {0, 2, 10};

    if (c->grid && (c->n_waiters > 0 || c->n_sections > 0))
        bench_die("--grid has its own --waiters and --section");
    if (c->published && (c->grid || c->n_waiters > 0 || c->n_sections > 0))
        bench_die("--published has its own --waiters and --section");
    for (size_t i = 0; c->grid && i < 3; i++) {
        c->waiters[c->n_waiters++] = waiters[i];
        c->sections[c->n_sections++] = sections[i];
    }
    if (c->n_waiters == 0)
        c->waiters[c->n_waiters++] = 100;
    if (c->n_sections == 0)
        c->n_sections = 1; /* 0 us */
}

static void add_point(struct bench *b, const struct command *c, struct wakes *w)
{
    const char *how = w->signal ? "signals" : "broadcast";
    struct bench_point *p = bench_add_point(
        b, w->waiters,
        json_pack("{s:i s:i s:i s:s s:b}", "waiters", (int)w->waiters, "section_us",
                  (int)w->section_us, "rounds", (int)w->rounds, "wake", how, "locked", !w->free));
    char on[40] = "";

    p->detail = w;
    if (w->cpus > 0) {
        json_object_set_new(p->parameters, "on_cpus", json_integer(w->cpus));
        snprintf(on, sizeof on, ", %u rounds on %u CPU%s", w->rounds, w->cpus,
                 w->cpus == 1 ? "" : "s");
    }
    snprintf(p->title, sizeof p->title, "%u waiter%s, %u us in the mutex, %s%s%s", w->waiters,
             w->waiters == 1 ? "" : "s", w->section_us, how, w->free ? " without the mutex" : "",
             on);
    for (size_t i = 0; i < b->catalogue.n; i++)
        if (bench_wanted(&c->common, b->catalogue.locks[i]->name, baseline))
            bench_add_entry(p, b->catalogue.locks[i], baseline);
}

static double rounds_of(const struct molnar_place *place, const struct bench_point *point)
{
    (void)point;
    return place->first;
}

static void show_published(const struct bench *b, FILE *out)
{
    molnar_print(b, molnar_condperf, rounds_of, out);
    fputs("cond-perf timed its whole loop, the main thread's own sleep in it; here the rounds' "
          "time is added up.\n",
          out);
}

static size_t published(const struct command *c, struct wakes *wakes)
{
    size_t n = 0;

    for (size_t i = 0; i < MOLNAR_PLACES; i++)
        for (size_t k = 0; k < molnar_columns(); k++)
            wakes[n++] =
                (struct wakes){.waiters = molnar_condperf[i].second,
                               .rounds = c->rounds > 0 ? c->rounds : molnar_condperf[i].first,
                               .cpus = molnar_cpus[k],
                               .free = c->free,
                               .signal = c->signal};
    return n;
}

/* A round wakes every waiter once: the fewer there are, the more rounds. */
static unsigned rounds_with(const struct command *c, unsigned waiters)
{
    if (c->rounds > 0)
        return c->rounds;
    return WAKES / waiters > ROUNDS_LEAST ? WAKES / waiters : ROUNDS_LEAST;
}

static size_t combined(const struct command *c, struct wakes *wakes)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n_waiters; i++)
        for (size_t k = 0; k < c->n_sections; k++)
            wakes[n++] = (struct wakes){.waiters = c->waiters[i],
                                        .section_us = c->sections[k],
                                        .rounds = rounds_with(c, c->waiters[i]),
                                        .free = c->free,
                                        .signal = c->signal};
    return n;
}

int main(int argc, char **argv)
{
    static struct command c;
    static struct wakes wakes[LIST_MAX * LIST_MAX];
    static struct bench b = {.name = "condperf",
                             .unit = "round",
                             .piece = "waiter",
                             .repetitions = REPETITIONS,
                             .run = wakes_run};

    bench_begin("condperf");
    argp_parse(&command_line, argc, argv, 0, NULL, &c);
    bench_offer(&b.catalogue, cond_adapter_list, cond_adapter_missing);
    bench_check_names(&b.catalogue, &c.common);
    complete(&c);
    size_t n = c.published ? published(&c, wakes) : combined(&c, wakes);
    if (c.published)
        b.print_more = show_published;
    for (size_t i = 0; i < n; i++)
        add_point(&b, &c, &wakes[i]);
    if (c.rounds > 0 && c.rounds < TURNS_MEASURED)
        bench_note(&b,
                   "a run of %u rounds, in each of which a thread has the CPU once, says little",
                   c.rounds);
    work_calibrate();
    return bench_whole(&b, &c.common);
}
