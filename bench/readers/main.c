/* SPDX-License-Identifier: MIT */
/*
 * readers: does a read-write lock that nobody writes let its readers scale with the cores?
 *
 * One reader on each of N cores takes and releases the lock in a loop.  If readers do not disturb
 * each other, a pair costs on each of N cores what it costs on one.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/adapters/rw_adapter.h"
#include "measure/clock.h"
#include "measure/stats.h"
#include "measure/workers.h"
#include "readers.h"

enum {
    LIST_MAX = 16,
    CORES_MAX = 4096,
    SECTION_MAX = 1000000,
    RUN_MS = 20,
    RUN_MAX = 100000,
    REPETITIONS = 21,
    NS_PER_MS = 1000000
};

static const char baseline[] = "pthread-rw";

struct command {
    struct bench_options common;
    unsigned cores[LIST_MAX];
    size_t n_cores;
    unsigned section_ns, run_ms;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &c->common;
        return 0;
    case 'n':
        c->n_cores = bench_numbers("--cores", arg, 1, CORES_MAX, c->cores, LIST_MAX - 1);
        return 0;
    case 'c':
        c->section_ns = (unsigned)bench_number("--section", arg, 0, SECTION_MAX);
        return 0;
    case 'm':
        c->run_ms = (unsigned)bench_number("--milliseconds", arg, 1, RUN_MAX);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"cores", 'n', "N[,N...]", 0, "readers, each on a core of its own (1,2,4,... and all)", 0},
    {"section", 'c', "NS", 0, "work while the lock is held, in ns (0)", 0},
    {"milliseconds", 'm', "MS", 0, "how long a run lasts (20)", 0},
    {0},
};

static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .args_doc = "[LOCK...]",
    .children = children,
    .doc = "Measures read lock + unlock on several cores at once, while nobody writes: what a pair "
           "costs on each core, and the throughput of a core relative to that of a core alone "
           "(1.00: linear scaling), beside a loop in which readers share nothing.  Compares each "
           "LOCK (all, where none is named) with the C "
           "library's, in turns.",
};

/* One core is what the others are compared with. */
static void complete(struct command *c)
{
    unsigned all = cpus_usable();
    bool has_one = false;

    if (c->run_ms == 0)
        c->run_ms = RUN_MS;
    if (c->n_cores == 0) {
        for (unsigned n = 1; n < all && c->n_cores < LIST_MAX - 1; n *= 2)
            c->cores[c->n_cores++] = n;
        c->cores[c->n_cores++] = all;
    }
    for (size_t i = 0; i < c->n_cores; i++) {
        has_one = has_one || c->cores[i] == 1;
        if (c->cores[i] > all)
            bench_die("--cores: %u, and there are %u", c->cores[i], all);
    }
    if (!has_one) {
        memmove(&c->cores[1], &c->cores[0], c->n_cores * sizeof c->cores[0]);
        c->cores[0] = 1;
        c->n_cores++;
    }
}

static unsigned cores_of(const struct bench_point *p)
{
    return ((const struct load *)p->detail)->cores;
}

static const struct bench_entry *alone(const struct bench *b, const struct bench_entry *e)
{
    for (size_t i = 0; i < b->n; i++)
        for (size_t k = 0; cores_of(&b->points[i]) == 1 && k < b->points[i].n; k++)
            if (b->points[i].entries[k].lock == e->lock)
                return &b->points[i].entries[k];
    return NULL;
}

/* Throughput of a core, relative to a core alone: from the pairs of each repetition. */
static bool per_core(const struct bench *b, const struct bench_entry *e, struct stats_ratio *r)
{
    const struct bench_entry *one = alone(b, e);
    double *here = calloc(b->finished + 1, sizeof *here);
    double *there = calloc(b->finished + 1, sizeof *there);
    bool good = one != NULL && here != NULL && there != NULL;

    for (unsigned i = 0; good && i < b->finished; i++) {
        here[i] = e->runs[i].seconds;
        there[i] = one->runs[i].seconds;
    }
    if (good)
        *r = stats_median_ratio(there, here, b->finished);
    free(here);
    free(there);
    return good;
}

static void print_scaling(const struct bench *b, FILE *out)
{
    struct stats_ratio r;
    char text[48];

    fprintf(out, "\nthroughput of each core, relative to one core alone (1.00: linear)\n");
    for (size_t i = 0; i < b->n; i++) {
        if (cores_of(&b->points[i]) == 1)
            continue;
        fprintf(out, "%u cores\n", cores_of(&b->points[i]));
        for (size_t k = 0; k < b->points[i].n; k++)
            if (per_core(b, &b->points[i].entries[k], &r))
                fprintf(out, "  %-18s   %s\n", b->points[i].entries[k].lock->name,
                        stats_text(text, sizeof text, r, 3));
    }
}

static void describe(const struct bench *b, const struct bench_point *p,
                     const struct bench_entry *e, json_t *cell)
{
    struct stats_ratio r;

    (void)p;
    if (per_core(b, e, &r))
        json_object_set_new(cell, "per_core",
                            json_pack("{s:i s:f s:o}", "to", 1, "median", r.ratio, "ci95",
                                      bench_interval_json(r.low, r.high)));
}

int main(int argc, char **argv)
{
    static struct command c;
    static struct load loads[LIST_MAX];
    static struct bench b = {.name = "readers",
                             .unit = "pair",
                             .repetitions = REPETITIONS,
                             .run = readers_run,
                             .print_more = print_scaling,
                             .describe = describe};

    bench_begin("readers");
    argp_parse(&command_line, argc, argv, 0, NULL, &c);
    bench_offer(&b.catalogue, rw_adapter_list, rw_adapter_missing);
    bench_check_names(&b.catalogue, &c.common);
    complete(&c);
    work_calibrate();
    for (size_t i = 0; i < c.n_cores; i++) {
        struct bench_point *p =
            bench_add_point(&b, 1,
                            json_pack("{s:i s:i s:i}", "cores", (int)c.cores[i], "section_ns",
                                      (int)c.section_ns, "run_ms", (int)c.run_ms));
        loads[i] =
            (struct load){c.cores[i], work_steps(c.section_ns), (uint64_t)c.run_ms * NS_PER_MS};
        p->detail = &loads[i];
        snprintf(p->title, sizeof p->title, "readers on %u core%s, %u ns inside", c.cores[i],
                 c.cores[i] == 1 ? "" : "s", c.section_ns);
        for (size_t k = 0; k < b.catalogue.n; k++)
            if (bench_wanted(&c.common, b.catalogue.locks[k]->name, baseline))
                bench_add_entry(p, b.catalogue.locks[k], baseline);
        bench_add_entry(p, (const adapter_head *)&reference_own, baseline);
    }
    return bench_whole(&b, &c.common);
}
