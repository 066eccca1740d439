/* SPDX-License-Identifier: MIT */
/*
 * stripes: how large the table of stripes behind the generic atomics should be: how often objects
 * share a stripe, what it costs when two do, and what a larger table costs.
 */
#include <stdlib.h>

#include "measure/workers.h"
#include "stripes.h"

enum { REPETITIONS = 31, BUDGET = 30, SCENARIOS_MAX = 16 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct bench_options *o = state->input;

    (void)arg;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = o;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "no arguments are taken");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};

static const struct argp command_line = {
    .parser = parse,
    .children = children,
    .doc =
        "Computes how often two objects share a stripe of the generic atomics' table, for sets of "
        "objects as programs have them, and measures what sharing costs two threads, and what "
        "tables of other sizes would cost.",
};

static void add(struct bench *b, const struct scenario *s, const char *title,
                const adapter_head *const *rivals, const char *baseline)
{
    static const char *const kinds[] = {"two store", "one loads, one stores", "many"};
    struct bench_point *p =
        bench_add_point(b, 1,
                        json_pack("{s:s s:i s:i}", "scenario", kinds[s->kind], "threads",
                                  (int)s->threads, "objects", (int)s->objects));

    p->detail = s;
    snprintf(p->title, sizeof p->title, "%s", title);
    for (; *rivals != NULL; rivals++)
        bench_add_entry(p, *rivals, baseline);
}

static void add_all(struct bench *b)
{
    static struct scenario scenarios[SCENARIOS_MAX];
    static const size_t objects[] = {64, 1000, 100000};
    unsigned threads[] = {1, cpus_usable(), 4 * cpus_usable()};
    struct scenario *s = scenarios;
    char title[96];

    *s = (struct scenario){.kind = PAIR_STORES, .threads = 2};
    add(b, s++, "two threads that store, on two CPUs", meetings, meetings_baseline);
    *s = (struct scenario){.kind = PAIR_LOADS, .threads = 2};
    add(b, s++, "a thread that loads and one that stores", meetings, meetings_baseline);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        for (size_t k = 0; k < sizeof objects / sizeof *objects; k++) {
            *s = (struct scenario){.kind = MANY, .threads = threads[i], .objects = objects[k]};
            snprintf(title, sizeof title,
                     "%u thread%s, stores to any of %zu objects; stripes:", threads[i],
                     threads[i] == 1 ? "" : "s", objects[k]);
            add(b, s++, title, tables, tables_baseline);
        }
}

static void print_shares(const struct bench *b, FILE *out)
{
    (void)b;
    share_print(out);
}

static void nothing(unsigned index, void *arg)
{
    (void)index;
    (void)arg;
}

int main(int argc, char **argv)
{
    static struct bench_options options;
    static struct bench b = {.name = "stripes",
                             .unit = "call",
                             .repetitions = REPETITIONS,
                             .run = cost_run,
                             .print_more = print_shares};

    bench_begin("stripes");
    argp_parse(&command_line, argc, argv, 0, NULL, &options);
    bench_offer(&b.catalogue, meetings, (const struct missing_adapter[]){{0}});
    bench_offer(&b.catalogue, tables, (const struct missing_adapter[]){{0}});
    bench_check_names(&b.catalogue, &options);
    add_all(&b);
    if (options.budget == 0 && options.repetitions == 0)
        options.budget = BUDGET;

    /* A second thread that sleeps: locks are cheaper while there is one only. */
    struct worker_group *second = workers_start(1, WORKER_THREADS, nothing, NULL);
    if (second == NULL)
        bench_die("no second thread");
    int status = bench_whole(&b, &options);
    workers_go(second);
    workers_join(second);
    return status;
}
