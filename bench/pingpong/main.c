/* SPDX-License-Identifier: MIT */
/*
 * pingpong: pairs of threads that hand a ball back and forth by a condition variable.
 *
 * After pp, with which Ingo Molnar and Saurabh Desai measured requeueing beside cond-perf ("futex
 * requeueing feature", linux-kernel, 19 May 2003): -v, -n, -i and -S are pp's.
 */
#include <stdlib.h>

#include "bench/adapters/cond_adapter.h"
#include "bench/condperf/molnar.h"
#include "measure/workers.h"
#include "pingpong.h"

enum {
    LIST_MAX = 16,
    GAMES_MAX = 100000,
    ITERATIONS_MAX = 100000000,
    STACK_MIN = 1024,
    STACK_MAX = 1 << 30,
    STACK = 32768, /* bytes: pp's figures are for that */
    REPETITIONS = 11,
    PASSES = 64000, /* in all games together: a few tenths of a second */
    ITERATIONS_LEAST = 50
};

static const char baseline[] = "pthread";

struct command {
    struct bench_options common;
    unsigned games[LIST_MAX];
    size_t n_games;
    unsigned iterations; /* 0: as suits the number of games */
    unsigned passes;
    size_t stack;
    bool grid, verbose, published, await;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &c->common;
        return 0;
    case 'n':
        c->n_games = bench_numbers("--games", arg, 1, GAMES_MAX, c->games, LIST_MAX);
        return 0;
    case 'i':
        c->iterations = (unsigned)bench_number("--iterations", arg, 1, ITERATIONS_MAX);
        return 0;
    case 'p':
        c->passes = (unsigned)bench_number("--passes", arg, 1, ITERATIONS_MAX);
        return 0;
    case 'S':
        c->stack = bench_number("--stack", arg, STACK_MIN, STACK_MAX);
        return 0;
    case 'g':
        c->grid = true;
        return 0;
    case 'a':
        c->await = true;
        return 0;
    case 'v':
        c->verbose = true;
        return 0;
    case 'P':
        c->published = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"games", 'n', "N[,N...]", 0, "pairs of threads that play at once (one for each CPU)", 0},
    {"iterations", 'i', "N", 0, "how often each player passes the ball", 0},
    {"passes", 'p', "N", 0,
     "passes in all games together, where --iterations is not given (64000); but never fewer than "
     "50 of each player",
     0},
    {"stack", 'S', "BYTES", 0, "of each thread, beyond what the C library needs (32768)", 0},
    {"await", 'a', NULL, 0,
     "by conditional critical sections, without signals, where a lock has them (furwock, nsync, "
     "Abseil); the others as ever",
     0},
    {"grid", 'g', NULL, 0, "1, 2, 16, 128 and 1024 games, and one for each CPU", 0},
    {"verbose", 'v', NULL, 0, "also say it as pp did: \"128 games in 1.111s\"", 0},
    {"published", 'P', NULL, 0,
     "pp's two places of 2003, on 1, 2 and 4 CPUs, beside what was published; with --iterations, "
     "times are scaled to their number of iterations",
     0},
    {0},
};

static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .args_doc = "[LOCK...]",
    .children = children,
    .doc = "Pairs of threads hand a ball back and forth: lock, wait until it is here, pass it, "
           "signal.  Measures the time until all are done, and compares each LOCK (all, where none "
           "is named) with the C library's, in turns.",
};

static int by_size(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

    return (x > y) - (x < y);
}

static void complete(struct command *c)
{
    static const unsigned grid[] = {1, 2, 16, 128, 1024};

    if (c->grid && c->n_games > 0)
        bench_die("--grid has its own --games");
    if (c->published && (c->grid || c->n_games > 0))
        bench_die("--published has its own --games");
    if (c->published && c->await)
        bench_die("--published waited by condition variables: no --await");
    if (c->published)
        return;
    for (size_t i = 0; c->grid && i < sizeof grid / sizeof *grid; i++)
        if (grid[i] != cpus_usable())
            c->games[c->n_games++] = grid[i];
    if (c->grid || c->n_games == 0)
        c->games[c->n_games++] = cpus_usable();
    qsort(c->games, c->n_games, sizeof *c->games, by_size);
}

static unsigned iterations_for(const struct command *c, unsigned games)
{
    if (c->iterations > 0)
        return c->iterations;
    unsigned fair = c->passes / (2 * games);
    return fair > ITERATIONS_LEAST ? fair : ITERATIONS_LEAST;
}

static void add_point(struct bench *b, const struct command *c, const struct match *m)
{
    struct bench_point *p =
        bench_add_point(b, 2.0 * m->games * m->iterations,
                        json_pack("{s:i s:i s:i}", "games", (int)m->games, "iterations",
                                  (int)m->iterations, "stack", (int)c->stack));

    char on[32] = "";

    p->detail = m;
    if (m->await)
        json_object_set_new(p->parameters, "await", json_true());
    if (m->cpus > 0) {
        json_object_set_new(p->parameters, "on_cpus", json_integer(m->cpus));
        snprintf(on, sizeof on, ", on %u CPU%s", m->cpus, m->cpus == 1 ? "" : "s");
    }
    snprintf(p->title, sizeof p->title, "%u game%s of %u iterations%s%s", m->games,
             m->games == 1 ? "" : "s", m->iterations, on, m->await ? ", awaited" : "");
    for (size_t i = 0; i < b->catalogue.n; i++)
        if (bench_wanted(&c->common, b->catalogue.locks[i]->name, baseline))
            bench_add_entry(p, b->catalogue.locks[i], baseline);
}

/* As pp's output, for each lock: the median of its runs. */
static void show_as_pp(const struct bench *b, FILE *out)
{
    fputc('\n', out);
    for (size_t i = 0; i < b->n; i++) {
        const struct bench_point *p = &b->points[i];
        const struct match *m = p->detail;

        for (size_t k = 0; k < p->n; k++)
            fprintf(out, "%s: %u games in %.3fs\n", p->entries[k].lock->name, m->games,
                    bench_figures(b, p, &p->entries[k]).median);
    }
}

/* A run may have been of other iterations. */
static double runs_of(const struct molnar_place *place, const struct bench_point *point)
{
    const struct match *m = point->detail;

    return (double)place->second / m->iterations;
}

static void show_published(const struct bench *b, FILE *out)
{
    molnar_print(b, molnar_pp, runs_of, out);
}

static size_t published(const struct command *c, struct match *matches)
{
    size_t n = 0;

    for (size_t i = 0; i < MOLNAR_PLACES; i++)
        for (size_t k = 0; k < molnar_columns(); k++)
            matches[n++] = (struct match){.games = molnar_pp[i].first,
                                          .iterations = c->iterations > 0 ? c->iterations
                                                                          : molnar_pp[i].second,
                                          .cpus = molnar_cpus[k]};
    return n;
}

int main(int argc, char **argv)
{
    static struct command c = {.stack = STACK, .passes = PASSES};
    static struct match matches[LIST_MAX];
    static struct bench b = {.name = "pingpong",
                             .unit = "all games",
                             .piece = "pass",
                             .repetitions = REPETITIONS,
                             .run = match_run};

    bench_begin("pingpong");
    argp_parse(&command_line, argc, argv, 0, NULL, &c);
    bench_offer(&b.catalogue, cond_adapter_list, cond_adapter_missing);
    bench_check_names(&b.catalogue, &c.common);
    complete(&c);
    workers_stack(c.stack);
    for (size_t i = 0; i < c.n_games; i++)
        matches[i] = (struct match){
            .games = c.games[i], .iterations = iterations_for(&c, c.games[i]), .await = c.await};
    size_t n = c.published ? published(&c, matches) : c.n_games;
    for (size_t i = 0; i < n; i++)
        add_point(&b, &c, &matches[i]);
    b.print_more = c.published ? show_published : c.verbose ? show_as_pp : NULL;
    return bench_whole(&b, &c.common);
}
