/* SPDX-License-Identifier: MIT */
/*
 * futexlock: what a lock does for threads that want it for a part of their time.
 *
 * After the benchmark of Darren Hart's FUTEX_LOCK (linux-kernel, 8 April 2010), with its arguments
 * and its output; written anew, from his description of it.
 */
#include <stdlib.h>
#include <string.h>

#include "futexlock.h"

enum {
    LIST_MAX = 16,
    THREADS_MAX = 100000,
    PERIOD_MAX = BILLION,
    MILLISECONDS_MAX = 600000,
    REPETITIONS = 11,
    ITERATIONS = 10000000,
    PERIOD = 1000,
    MILLISECONDS = 100
};

#define ITERATIONS_MAX 1000000000000ul

struct command {
    struct bench_options common;
    const char *lock;
    uint64_t iterations;
    unsigned threads[LIST_MAX];
    size_t n_threads;
    unsigned cycles[LIST_MAX];
    size_t n_cycles;
    unsigned period;
    struct extent until; /* of a sweep */
    bool adaptive, sweep, summary, uncounted;
};

static error_t parse_sweep(int key, char *arg, struct command *c)
{
    switch (key) {
    case 's':
        c->sweep = true;
        return 0;
    case 'S':
        c->summary = true;
        return 0;
    case 'm':
        c->until.milliseconds = (unsigned)bench_number("--milliseconds", arg, 1, MILLISECONDS_MAX);
        c->until.is_exact = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &c->common;
        return 0;
    case 'i':
        c->iterations = bench_number("--iterations", arg, 1, ITERATIONS_MAX);
        return 0;
    case 'n':
        c->n_threads = bench_numbers("--threads", arg, 1, THREADS_MAX, c->threads, LIST_MAX);
        return 0;
    case 'p':
        c->period = (unsigned)bench_number("--period", arg, 1, PERIOD_MAX);
        return 0;
    case 'd':
        c->n_cycles = bench_numbers("--duty-cycle", arg, 0, 100, c->cycles, LIST_MAX);
        return 0;
    case 'a':
        c->adaptive = true;
        return 0;
    case 'l':
        c->lock = arg;
        return 0;
    case 'u':
        c->uncounted = true;
        return 0;
    default:
        return parse_sweep(key, arg, c);
    }
}

static const struct argp_option options[] = {
    {"iterations", 'i', "N", 0, "of all threads together (10000000)", 0},
    {"threads", 'n', "N[,N...]", 0, "how many there are (8); several in a sweep", 0},
    {"period", 'p', "N", 0, "instructions of an iteration (1000)", 0},
    {"duty-cycle", 'd', "PERCENT[,...]", 0, "of them inside the lock (10); several in a sweep", 0},
    {"adaptive", 'a', NULL, 0, "furwock's default instead of furwock-block", 0},
    {"lock", 'l', "NAME", 0, "any other lock", 0},
    {"uncounted", 'u', NULL, 0, "no second run, in which system calls are counted", 0},
    {"sweep", 's', NULL, 0,
     "1, 2, 4 ... 256 threads, with duty cycles of 1, 10, 25, 50 and 75 per cent", 0},
    {"milliseconds", 'm', "MS", 0,
     "length of a run in a sweep (100, and with many "
     "threads as long as four turns of the scheduler take)",
     0},
    {"summary", 'S', NULL, 0, "of a sweep only what it says of the goals", 0},
    {0},
};

static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .args_doc = "[--sweep [LOCK...]]",
    .children = children,
    .doc =
        "Threads run a fixed number of instructions again and again, some per cent of them holding "
        "one lock.  Measures how many such iterations they do.  A sweep compares each LOCK (the "
        "usual ones, where none is named) with furwock-block, in turns.",
};

/* The lock that one run is of; refuses where there is none of that name. */
static const struct adapter *the_lock(const struct bench *b, const struct command *c)
{
    struct bench_options wanted = {.names = {c->lock}, .n = 1};

    if (c->lock == NULL)
        wanted.names[0] = c->adaptive ? lock_adaptive : lock_normal;
    else if (c->adaptive)
        bench_die("--adaptive is --lock %s: give one of the two", lock_adaptive);
    bench_check_names(&b->catalogue, &wanted);

    const struct adapter *found = adapter_find(wanted.names[0]);
    if ((found->flags & ADAPTER_PROCESSES) != 0)
        bench_die("%s works between processes, not between threads", found->name);
    return found;
}

/* What goes with a sweep only, and what without one. */
static void check(const struct command *c)
{
    const struct bench_options *o = &c->common;

    if (c->sweep && (c->iterations > 0 || c->adaptive || c->lock != NULL || c->uncounted))
        bench_die("--sweep takes no --iterations, --adaptive, --lock or --uncounted");
    if (!c->sweep &&
        (o->n > 0 || o->repetitions > 0 || o->budget > 0 || c->until.is_exact || c->summary))
        bench_die("names of locks, --repeat, --budget, --milliseconds and --summary go with "
                  "--sweep only");
    if (!c->sweep && (c->n_threads > 1 || c->n_cycles > 1))
        bench_die("several --threads or --duty-cycle go with --sweep only");
}

static int by_size(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

    return (x > y) - (x < y);
}

/* In order, each number once. */
static size_t tidy(unsigned *list, size_t n)
{
    size_t kept = 0;

    qsort(list, n, sizeof *list, by_size);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || list[i] != list[kept - 1])
            list[kept++] = list[i];
    return kept;
}

static size_t fill(unsigned *list, const unsigned *from, size_t n)
{
    memcpy(list, from, n * sizeof *list);
    return n;
}

static void complete(struct command *c)
{
    static const unsigned threads[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 8};
    static const unsigned cycles[] = {1, 10, 25, 50, 75, 10};
    enum {
        N_THREADS = sizeof threads / sizeof *threads - 1, /* the last: without a sweep */
        N_CYCLES = sizeof cycles / sizeof *cycles - 1
    };

    c->n_threads = tidy(c->threads, c->n_threads);
    c->n_cycles = tidy(c->cycles, c->n_cycles);
    if (c->n_threads == 0)
        c->n_threads = c->sweep ? fill(c->threads, threads, N_THREADS)
                                : fill(c->threads, &threads[N_THREADS], 1);
    if (c->n_cycles == 0)
        c->n_cycles =
            c->sweep ? fill(c->cycles, cycles, N_CYCLES) : fill(c->cycles, &cycles[N_CYCLES], 1);
    if (c->period == 0)
        c->period = PERIOD;
    if (!c->until.is_exact)
        c->until.milliseconds = MILLISECONDS;
    if (c->iterations == 0)
        c->iterations = ITERATIONS;
}

static int sweep(struct bench *b, const struct command *c)
{
    for (size_t i = 0; i < c->n_cycles; i++)
        for (size_t k = 0; k < c->n_threads; k++) {
            struct duty d = {c->threads[k], c->period, c->cycles[i]};
            sweep_add(b, &d, &c->until, &c->common);
        }
    b->settings = json_pack("{s:f s:i}", "instruction_ns", instructions_seconds() * BILLION,
                            "milliseconds", (int)c->until.milliseconds);
    if (c->until.is_exact)
        bench_tell_short(b, c->threads[c->n_threads - 1], c->until.milliseconds, "--milliseconds");
    if (c->summary)
        b->print_points = show_nothing;
    else if (b->n > PLACES_FEW)
        b->print_points = show_tables;
    int status = bench_whole(b, &c->common);
    sweep_release();
    return status;
}

int main(int argc, char **argv)
{
    static struct command c;
    static struct bench b = {.name = "futexlock",
                             .unit = "iteration",
                             .repetitions = REPETITIONS,
                             .run = sweep_run,
                             .print_more = show_rest,
                             .describe = sweep_describe};

    bench_begin("futexlock");
    argp_parse(&command_line, argc, argv, 0, NULL, &c);
    bench_offer(&b.catalogue, adapter_list, adapter_missing);
    bench_check_names(&b.catalogue, &c.common);
    check(&c);
    complete(&c);
    if (c.sweep)
        return sweep(&b, &c);

    struct duty d = {c.threads[0], c.period, c.cycles[0]};
    return once(&b, the_lock(&b, &c), &d, c.iterations, !c.uncounted, c.common.json);
}
