/* SPDX-License-Identifier: MIT */
/*
 * lifo: a stack whose head is one atomic object, under full load.
 *
 * After p11#test#lifo of Gustedt, "Futex based locks for C11's generic atomics" (INRIA RR-8818,
 * 2015), section 4.2.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lifo.h"
#include "measure/workers.h"
#include "stack.h"

enum {
    LIST_MAX = 32,
    THREADS_MAX = 10000,
    DURATION_MAX = 1000000,
    WORD = 8,
    PAIR = 16, /* bytes: what the CPU may change in one instruction */
    HEAD = 32,
    DURATION = 200, /* ms */
    REPETITIONS = 11,
    MS = 1000,
    PUBLISHED_DURATION = 10000, /* the paper's */
    PUBLISHED_REPETITIONS = 10,
    MINUTE = 60
};

static const char baseline[] = "mutex";

struct command {
    struct bench_options common;
    unsigned threads[LIST_MAX];
    size_t n_threads;
    unsigned heads[LIST_MAX];
    size_t n_heads;
    unsigned duration;
    bool grid, published;
};

static void read_heads(struct command *c, const char *arg)
{
    c->n_heads =
        bench_numbers("--head", arg, STACK_HEAD_LEAST, STACK_HEAD_MOST, c->heads, LIST_MAX);
    for (size_t i = 0; i < c->n_heads; i++)
        if (c->heads[i] % WORD != 0)
            bench_die("--head takes multiples of %d bytes, not %u", WORD, c->heads[i]);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &c->common;
        return 0;
    case 't':
        c->n_threads = bench_numbers("--threads", arg, 1, THREADS_MAX, c->threads, LIST_MAX);
        return 0;
    case 'H':
        read_heads(c, arg);
        return 0;
    case 'd':
        c->duration = (unsigned)bench_number("--duration", arg, 1, DURATION_MAX);
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
    {"threads", 't', "N[,N...]", 0, "threads (one and two for each CPU)", 0},
    {"head", 'H', "BYTES[,BYTES...]", 0,
     "size of the head (32); where it is 16, only the libraries are run, and the mutex", 0},
    {"duration", 'd', "MS", 0, "of a run (200)", 0},
    {"grid", 'g', NULL, 0,
     "1, 2, 4 ... 256 threads, and one and two for each CPU; heads of 16 and 32 bytes", 0},
    {"published", 'p', NULL, 0,
     "as the paper ran it: ten runs of 10 s each, of the grid where no --threads or --head are "
     "given; it says how long that takes, which is hours",
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
        "Threads create and delete elements of one stack, whose head is an atomic object of so "
        "many bytes.  Measures how many elements they handle, and compares each LOCK (all, where "
        "none is named) with pthread's mutex, in turns.",
};

static void add_number(unsigned *list, size_t *n, unsigned number)
{
    for (size_t i = 0; i < *n; i++)
        if (list[i] == number)
            return;
    list[(*n)++] = number;
}

static int by_size(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

    return (x > y) - (x < y);
}

static void complete(struct command *c)
{
    enum { GRID_MOST = 256 };

    if (c->published && (c->duration > 0 || c->common.repetitions > 0))
        bench_die("--published has its own --duration and --repeat");
    if (c->grid && (c->n_threads > 0 || c->n_heads > 0))
        bench_die("--grid has its own --threads and --head");
    c->grid = c->grid || (c->published && c->n_threads == 0 && c->n_heads == 0);
    for (unsigned n = 1; c->grid && n <= GRID_MOST; n *= 2)
        add_number(c->threads, &c->n_threads, n);
    if (c->grid || c->n_threads == 0) {
        add_number(c->threads, &c->n_threads, cpus_usable());
        add_number(c->threads, &c->n_threads, 2 * cpus_usable());
    }
    qsort(c->threads, c->n_threads, sizeof *c->threads, by_size);
    if (c->grid)
        c->heads[c->n_heads++] = PAIR;
    if (c->n_heads == 0 || c->grid)
        c->heads[c->n_heads++] = HEAD;
    if (c->duration == 0)
        c->duration = c->published ? PUBLISHED_DURATION : DURATION;
}

/* Sixteen bytes need no lock: what the shims do there, they do with 24 as well. */
static bool takes_part(const struct command *c, const adapter_head *lock, unsigned head)
{
    const struct primitive *p = (const void *)lock;

    if (!bench_wanted(&c->common, lock->name, baseline))
        return false;
    return head > PAIR || p->calls->load_16 != NULL || strcmp(lock->name, baseline) == 0;
}

static void add_point(struct bench *b, const struct command *c, const struct load *l)
{
    struct bench_point *p = bench_add_point(b, ELEMENTS,
                                            json_pack("{s:i s:i s:i s:b}", "head", (int)l->head,
                                                      "threads", (int)l->threads, "duration_ms",
                                                      (int)l->duration, "pinned", (int)l->pinned));

    p->detail = l;
    if (c->published)
        p->run_seconds = (double)l->duration * (1 + 1.0 / WARM_PARTS) / MS;
    snprintf(p->title, sizeof p->title, "head of %u bytes, %u %sthread%s", l->head, l->threads,
             l->pinned ? "pinned " : "", l->threads == 1 ? "" : "s");
    for (size_t i = 0; i < b->catalogue.n; i++)
        if (takes_part(c, b->catalogue.locks[i], l->head))
            bench_add_entry(p, b->catalogue.locks[i], baseline);
}

int main(int argc, char **argv)
{
    static struct command c;
    static struct load loads[LIST_MAX * LIST_MAX];
    static struct bench b = {
        .name = "lifo", .unit = "thousand", .run = load_run, .print_more = show_speeds};
    size_t n = 0;

    bench_begin("lifo");
    argp_parse(&command_line, argc, argv, 0, NULL, &c);
    primitives_offer(&b.catalogue);
    bench_check_names(&b.catalogue, &c.common);
    complete(&c);
    b.repetitions = c.published ? PUBLISHED_REPETITIONS : REPETITIONS;
    b.settings = json_pack("{s:o}", "compilers", primitives_compilers(&b.catalogue));
    for (size_t i = 0; i < c.n_heads; i++)
        for (size_t k = 0; k < c.n_threads; k++) {
            loads[n] = (struct load){c.threads[k], c.heads[i], c.duration, workers_pinned()};
            add_point(&b, &c, &loads[n++]);
        }
    if (c.published)
        bench_warn("%.0f minutes for %u repetitions, or what --budget says",
                   ceil(bench_expected(&b) * b.repetitions / MINUTE), b.repetitions);
    return bench_whole(&b, &c.common);
}
