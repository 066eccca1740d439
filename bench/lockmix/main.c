/* SPDX-License-Identifier: MIT */
/*
 * lockmix: locks under loads closer to life, with more threads than CPUs.
 *
 * After the benchmarks by which FlexGuard was shown (Laforet, Kashyap, Iorgulescu, Lawall and Lozi,
 * "FlexGuard: Fast Mutual Exclusion Independent of Subscription", SOSP 2025).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lockmix.h"
#include "measure/clock.h"
#include "measure/machine.h"
#include "measure/workers.h"

enum {
    LIST_MAX = 16,
    MODES = 3,
    THREADS_MAX = 100000,
    ANTAGONISTS_MAX = 10000,
    RUN_MS_MAX = 1000000,
    BETWEEN_MAX = 1000000,
    LINES_MAX = 100000,
    KEYS_MAX = 10000000,
    LOCKS_MAX = 1000000,
    ZIPF_MAX = 20,
    REPETITIONS = 11,
    SPIN_MOST = 4 /* threads for each CPU with which locks that never sleep are run in the grid */
};

#define OVERHEAD 1.1 /* of the time of a run: threads begin and end */

static const char baseline[] = "pthread";

/* Who competes where nobody was named. */
static const char *const contenders[] = {
    "furwock", "furwock-spin7", "furwock-block", "pthread", "pthread-adaptive",
    "ck-mcs",  "parking_lot",   "nsync",         "abseil",
};

static const struct mode *const modes[MODES] = {&mode_one, &mode_hash, &mode_many};

struct command {
    struct bench_options common;
    const struct mode *modes[MODES];
    size_t n_modes;
    unsigned threads[LIST_MAX];
    size_t n_threads;
    unsigned antagonists[LIST_MAX];
    size_t n_antagonists;
    bool grid;
    struct mix mix;
};

/* What FlexGuard's benchmarks have, except the exponent: README.md. */
static struct command command = {.mix = {.run_ms = 200,
                                         .between_ns = 40, /* 100 cycles at 2.5 GHz */
                                         .lines = 2,
                                         .buckets = 100,
                                         .keys = 100000,
                                         .reads = 50,
                                         .locks = 100,
                                         .pairs = 50,
                                         .duty = 100,
                                         .zipf = 0.99,
                                         .seed = 1}};

/* --- The command line ------------------------------------------------------------------------ */

static void read_modes(struct command *c, const char *arg)
{
    char *words = strdup(arg), *rest = words;

    c->n_modes = 0;
    for (const char *word; words != NULL && (word = strsep(&rest, ",")) != NULL;) {
        const struct mode *found = NULL;
        for (size_t i = 0; i < MODES; i++)
            if (strcmp(word, modes[i]->name) == 0)
                found = modes[i];
        for (size_t i = 0; i < c->n_modes; i++)
            if (c->modes[i] == found)
                found = NULL; /* twice */
        if (found == NULL)
            bench_die("--mode takes one, hash or many, or some of them as one,hash, not \"%s\"",
                      arg);
        c->modes[c->n_modes++] = found;
    }
    free(words);
}

static double read_exponent(const char *arg)
{
    char *end;
    double value = strtod(arg, &end);

    /* strtod knows infinity, signs, hexadecimal and blanks; a user who types them has erred. */
    if (arg[strspn(arg, "0123456789.")] != '\0' || end == arg || *end != '\0' || value > ZIPF_MAX)
        bench_die("--zipf takes a number from 0 to %d, as 0.99, not \"%s\"", ZIPF_MAX, arg);
    return value;
}

enum { KEY_BUCKETS = 256, KEY_KEYS, KEY_READS, KEY_LOCKS, KEY_PAIRS, KEY_DUTY, KEY_LINES };

/* The options that set a member of the mix to a number. */
static const struct {
    int key;
    const char *name;
    unsigned long least, most;
    unsigned *value;
} numbers[] = {
    {'d', "--duration", 1, RUN_MS_MAX, &command.mix.run_ms},
    {'w', "--between", 0, BETWEEN_MAX, &command.mix.between_ns},
    {KEY_LINES, "--lines", 1, LINES_MAX, &command.mix.lines},
    {KEY_BUCKETS, "--buckets", 1, LOCKS_MAX, &command.mix.buckets},
    {KEY_KEYS, "--keys", 1, KEYS_MAX, &command.mix.keys},
    {KEY_READS, "--reads", 0, PER_CENT, &command.mix.reads},
    {KEY_LOCKS, "--locks", 1, LOCKS_MAX, &command.mix.locks},
    {KEY_PAIRS, "--pairs", 0, PER_CENT, &command.mix.pairs},
    {KEY_DUTY, "--duty", 1, PER_CENT, &command.mix.duty},
};

static bool read_number(int key, const char *arg)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].key == key) {
            command.mix.is_exact = command.mix.is_exact || key == 'd';
            *numbers[i].value =
                (unsigned)bench_number(numbers[i].name, arg, numbers[i].least, numbers[i].most);
            return true;
        }
    return false;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &c->common;
        return 0;
    case 'm':
        read_modes(c, arg);
        return 0;
    case 't':
        c->n_threads = bench_numbers("--threads", arg, 1, THREADS_MAX, c->threads, LIST_MAX);
        return 0;
    case 'a':
        c->n_antagonists =
            bench_numbers("--antagonists", arg, 0, ANTAGONISTS_MAX, c->antagonists, LIST_MAX);
        return 0;
    case 'z':
        c->mix.zipf = read_exponent(arg);
        return 0;
    case 's':
        c->mix.seed = bench_number("--seed", arg, 0, UINT32_MAX);
        return 0;
    case 'g':
        c->grid = true;
        return 0;
    default:
        return read_number(key, arg) ? 0 : ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"mode", 'm', "MODE[,MODE...]", 0, "one, hash, many (one; of the grid: all)", 0},
    {"threads", 't', "N[,N...]", 0, "(as many as CPUs, and four times as many)", 0},
    {"antagonists", 'a', "N[,N...]", 0, "processes that take CPUs away (0)", 0},
    {"duty", KEY_DUTY, "PERCENT", 0, "of the time that an antagonist computes (100)", 0},
    {"duration", 'd', "MS", 0,
     "of a run (200, and with many threads as long as four turns of the scheduler take)", 0},
    {"between", 'w', "NS", 0, "work between two operations, in ns (40)", 0},
    {"zipf", 'z', "X", 0, "exponent of Zipf's law for keys and locks (0.99)", 0},
    {"seed", 's', "N", 0, "of what is left to chance (1)", 0},
    {"grid", 'g', NULL, 0,
     "1, 1, 2, 4 and 16 times as many threads as CPUs, without antagonists and with as many as "
     "CPUs, in all modes",
     0},
    {"lines", KEY_LINES, "N", 0, "one: cache lines written in a section (2)", 0},
    {"buckets", KEY_BUCKETS, "N", 0, "hash: locks (100)", 0},
    {"keys", KEY_KEYS, "N", 0, "hash: different keys (100000)", 0},
    {"reads", KEY_READS, "PERCENT", 0, "hash: operations that only read (50)", 0},
    {"locks", KEY_LOCKS, "N", 0, "many: locks (100)", 0},
    {"pairs", KEY_PAIRS, "PERCENT", 0, "many: operations that take two locks (50)", 0},
    {0},
};

static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .args_doc = "[LOCK...]",
    .children = children,
    .doc =
        "Threads work on shared data under locks: on a few cache lines under one lock (one), in a "
        "hash table with a lock for each bucket (hash), on accounts with a lock each (many). "
        "Measures operations per second, the CPU time and the context switches of an "
        "acquisition, fairness and waits, and compares each LOCK with the C library's, in turns. "
        "Where none is named, some compete; --list names all.",
};

static void add_number(unsigned *list, size_t *n, unsigned number)
{
    for (size_t i = 0; i < *n; i++)
        if (list[i] == number)
            return;
    list[(*n)++] = number;
}

static void complete(struct command *c)
{
    unsigned cpus = cpus_usable();

    if (c->grid && (c->n_threads > 0 || c->n_antagonists > 0))
        bench_die("--grid has its own --threads and --antagonists");
    if (c->grid) {
        static const unsigned times[] = {1, 2, 4, 16};
        add_number(c->threads, &c->n_threads, 1);
        for (size_t i = 0; i < sizeof times / sizeof *times; i++)
            add_number(c->threads, &c->n_threads, times[i] * cpus);
        add_number(c->antagonists, &c->n_antagonists, 0);
        add_number(c->antagonists, &c->n_antagonists, cpus);
    }
    if (c->n_modes == 0)
        for (size_t i = 0; i < (c->grid ? MODES : 1); i++)
            c->modes[c->n_modes++] = modes[i];
    if (c->n_threads == 0) {
        add_number(c->threads, &c->n_threads, cpus);
        add_number(c->threads, &c->n_threads, 4 * cpus);
    }
    if (c->n_antagonists == 0)
        c->n_antagonists = 1; /* 0 of them */
    if (c->mix.keys < c->mix.buckets)
        bench_die("--keys: %u, and there are %u buckets", c->mix.keys, c->mix.buckets);
}

/* --- The points ------------------------------------------------------------------------------ */

static bool competes(const struct command *c, const adapter_head *lock, unsigned threads)
{
    if (c->common.n > 0)
        return bench_wanted(&c->common, lock->name, baseline);
    /* A queue of pollers that may be preempted moves on once in a time slice. */
    if (c->grid && (lock->flags & ADAPTER_BLOCKS) == 0 && threads > SPIN_MOST * cpus_usable())
        return false;
    for (size_t i = 0; i < sizeof contenders / sizeof *contenders; i++)
        if (strcmp(lock->name, contenders[i]) == 0)
            return true;
    return false;
}

/* Of an operation, about. */
static double thousands_of(const struct spot *s)
{
    return (s->mode == &mode_many ? 1 + (double)s->mix->pairs / PER_CENT : 1) / THOUSAND;
}

static void add_point(struct bench *b, const struct command *c, struct spot *s)
{
    bool skewed = s->mode->ranks(s->mix) > 0;
    unsigned tasks = s->threads + s->antagonists;
    struct bench_point *p = bench_add_point(
        b, thousands_of(s),
        json_pack("{s:s s:f s:i s:i s:s s:i s:i s:b}", "mode", s->mode->name, "zipf",
                  skewed ? s->mix->zipf : 0, "antagonists", (int)s->antagonists, "duty",
                  (int)(s->antagonists > 0 ? s->mix->duty : 0), "assist", machine_assist(),
                  "threads", (int)s->threads, "run_ms", (int)s->run_ms, "short",
                  bench_is_short(tasks, s->run_ms)));

    p->detail = s;
    p->run_seconds = ((double)s->run_ms / THOUSAND + spot_warm_seconds(s)) * OVERHEAD;
    snprintf(p->title, sizeof p->title, "%s: %u thread%s, %u antagonist%s", s->mode->name,
             s->threads, s->threads == 1 ? "" : "s", s->antagonists,
             s->antagonists == 1 ? "" : "s");
    for (size_t i = 0; i < b->catalogue.n; i++)
        if (competes(c, b->catalogue.locks[i], s->threads))
            bench_add_entry(p, b->catalogue.locks[i], baseline);
    s->gauges = calloc(p->n, sizeof(struct gauge *));
    if (s->gauges == NULL)
        bench_die("no memory");
}

static json_t *settings(const struct mix *m)
{
    return json_pack("{s:i s:i s:i s:i s:i s:i s:i s:f s:i s:I}", "between_ns", (int)m->between_ns,
                     "lines", (int)m->lines, "buckets", (int)m->buckets, "keys", (int)m->keys,
                     "reads", (int)m->reads, "locks", (int)m->locks, "pairs", (int)m->pairs, "zipf",
                     m->zipf, "duty", (int)m->duty, "seed", (json_int_t)m->seed);
}

/* At the k-th combination of threads and antagonists. */
static unsigned run_ms(const struct command *c, size_t k)
{
    return bench_run_ms(c->threads[k % c->n_threads] + c->antagonists[k / c->n_threads],
                        c->mix.run_ms, c->mix.is_exact);
}

static unsigned most(const unsigned *list, size_t n)
{
    unsigned found = 0;

    for (size_t i = 0; i < n; i++)
        found = list[i] > found ? list[i] : found;
    return found;
}

int main(int argc, char **argv)
{
    static struct spot spots[MODES * LIST_MAX * LIST_MAX];
    static struct keys keys[MODES];
    static struct bench b = {.name = "lockmix",
                             .unit = "operation",
                             .piece = "thousand acquisitions",
                             .repetitions = REPETITIONS,
                             .run = spot_run,
                             .print_points = show_points,
                             .describe = gauge_describe};
    struct command *c = &command;
    size_t n = 0;

    bench_begin("lockmix");
    argp_parse(&command_line, argc, argv, 0, NULL, c);
    bench_offer(&b.catalogue, adapter_list, adapter_missing);
    bench_check_names(&b.catalogue, &c->common);
    complete(c);
    b.settings = settings(&c->mix);
    work_calibrate();
    for (size_t i = 0; i < c->n_modes; i++) {
        unsigned ranks = c->modes[i]->ranks(&c->mix);
        if (ranks > 0 && !keys_draw(&keys[i], ranks, c->mix.zipf, c->mix.seed))
            bench_die("no memory for %u keys", ranks);
        for (size_t k = 0; k < c->n_antagonists * c->n_threads; k++) {
            spots[n] = (struct spot){.bench = &b,
                                     .mix = &c->mix,
                                     .mode = c->modes[i],
                                     .keys = &keys[i],
                                     .threads = c->threads[k % c->n_threads],
                                     .antagonists = c->antagonists[k / c->n_threads],
                                     .run_ms = run_ms(c, k),
                                     .between = work_steps(c->mix.between_ns)};
            add_point(&b, c, &spots[n++]);
        }
    }
    if (c->mix.is_exact)
        bench_tell_short(&b,
                         most(c->threads, c->n_threads) + most(c->antagonists, c->n_antagonists),
                         c->mix.run_ms, "--duration");
    int status = bench_whole(&b, &c->common);
    for (size_t i = 0; i < c->n_modes; i++)
        keys_free(&keys[i]);
    return status;
}
