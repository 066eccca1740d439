/* SPDX-License-Identifier: MIT */
/*
 * atomicmix: load, store, exchange and compare-exchange of objects that no instruction handles, and
 * mixes of these: this build's library beside the system's.
 */
#include <stdlib.h>
#include <string.h>

#include "atomicmix.h"
#include "measure/workers.h"

enum { REPETITIONS = 15, REPETITIONS_GOALS = 41, BUDGET = 45, RUN_MS = 10, RUN_MAX = 100000 };
enum { THREADS_MAX = 64, OFFSET_MAX = 4095 };

static const char baseline[] = "libatomic";

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct plan *p = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &p->common;
        return 0;
    case 's':
        p->n_sizes = bench_numbers("--size", arg, 1, SIZE_MAX_BYTES, p->sizes, LIST_MAX);
        return 0;
    case 'x':
        plan_mixes(p, arg);
        return 0;
    case 't':
        p->n_threads = bench_numbers("--threads", arg, 0, THREADS_MAX, p->threads, LIST_MAX);
        return 0;
    case 'p':
        plan_points(p, arg);
        return 0;
    case 'o':
        p->offset = (unsigned)bench_number("--offset", arg, 0, OFFSET_MAX);
        return 0;
    case 'O':
        plan_order(p, arg);
        return 0;
    case 'z':
        p->sized = true;
        return 0;
    case 'm':
        p->run_ms = (unsigned)bench_number("--milliseconds", arg, 1, RUN_MAX);
        return 0;
    case 'g':
        p->grid = true;
        return 0;
    case 'G':
        p->goals = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"size", 's', "N[,N...]", 0, "bytes of an object", 0},
    {"mix", 'x', "MIX[,MIX...]", 0,
     "load, store, exchange, compare-exchange, or percentages of these: 95:5, 25:25:25:25", 0},
    {"threads", 't', "N[,N...]", 0, "threads for each CPU; 0: one alone, in a tight loop", 0},
    {"place", 'p', "PLACE[,PLACE...]", 0,
     "all on the same object; on neighbours in an array; on objects far apart", 0},
    {"offset", 'o', "N", 0, "bytes by which each object is out of place (0)", 0},
    {"order", 'O', "ORDER", 0, "seq_cst, acq_rel or relaxed (seq_cst)", 0},
    {"sized", 'z', NULL, 0, "the calls for 16 bytes (__atomic_load_16), not those for any size", 0},
    {"milliseconds", 'm', "MS", 0, "how long a run of several threads lasts (10)", 0},
    {"grid", 'g', NULL, 0, "each size with each mix, 0 to 4 threads for each CPU, each point", 0},
    {"goals", 'G', NULL, 0, "only the points that have a goal", 0},
    {0},
};

static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .args_doc = "[LIBRARY...]",
    .children = children,
    .doc = "Measures atomic operations on objects of any size by their library: furwock's, of this "
           "build, and libatomic, of this system, in turns.  $LIBATOMICS_FURWOCK and "
           "$LIBATOMICS_LIBATOMIC name other files for these; \"ipc\" and $LIBATOMICS_IPC a third.",
};

static int init_nothing(void *object, bool shared)
{
    (void)object;
    (void)shared;
    return 0;
}

#define RIVAL(NAME, ABOUT, FAMILY)                                                          \
    {                                                                                       \
        .name = NAME, .about = ABOUT, .family = FAMILY, .flags = ADAPTER_BLOCKS, .size = 1, \
        .align = 1, .init = init_nothing                                                    \
    }

static struct rival rivals[] = {
    RIVAL("furwock", "this build's libfurwock-atomic.so", FAMILY_FURWOCK),
    RIVAL("libatomic", "the system's libatomic.so.1: a table of mutexes", FAMILY_RIVAL),
    RIVAL("ipc", "this build's libfurwock-atomic-ipc.so; takes part where it is named",
          FAMILY_FURWOCK),
};

enum { RIVALS = sizeof rivals / sizeof *rivals };

/* The third is opened for those only who want to see it. */
static bool is_offered(const struct bench_options *o, const char *name)
{
    bool named = o->list || strcmp(name, "ipc") != 0;

    for (size_t i = 0; i < o->n; i++)
        named = named || strcmp(o->names[i], name) == 0;
    return named;
}

static void offer(struct bench_catalogue *c, const struct bench_options *o)
{
    static const adapter_head *list[RIVALS + 1];
    static struct missing_adapter missing[RIVALS + 1];
    size_t n = 0, gone = 0;

    for (size_t i = 0; i < RIVALS; i++) {
        const char *why;
        if (!is_offered(o, rivals[i].name))
            continue;
        rivals[i].library = libatomics_open(rivals[i].name, &why);
        if (rivals[i].library != NULL)
            list[n++] = (const adapter_head *)&rivals[i];
        else
            missing[gone++] = (struct missing_adapter){rivals[i].name, strdup(why)};
    }
    bench_offer(c, list, missing);
}

static void add_point(struct bench *b, const struct plan *p, const struct test *t)
{
    struct bench_point *point = bench_add_point(b, 1, parameters_of(t));

    point->detail = t;
    title_of(point->title, sizeof point->title, t);
    for (size_t i = 0; i < b->catalogue.n; i++)
        if (bench_wanted(&p->common, b->catalogue.locks[i]->name, baseline))
            bench_add_entry(point, b->catalogue.locks[i], baseline);
}

static json_t *settings(void)
{
    json_t *files = json_object();

    for (size_t i = 0; i < RIVALS; i++)
        if (rivals[i].library != NULL)
            json_object_set_new(files, rivals[i].name, json_string(rivals[i].library->path));
    return json_pack("{s:o}", "libraries", files);
}

static void nothing(unsigned index, void *arg)
{
    (void)index;
    (void)arg;
}

int main(int argc, char **argv)
{
    static struct plan plan = {.order = __ATOMIC_SEQ_CST, .run_ms = RUN_MS};
    static struct bench b = {.name = "atomicmix",
                             .unit = "call",
                             .run = test_run,
                             .print_points = show_points,
                             .print_more = show_goals,
                             .describe = describe};
    size_t n;

    bench_begin("atomicmix");
    argp_parse(&command_line, argc, argv, 0, NULL, &plan);
    offer(&b.catalogue, &plan.common);
    bench_check_names(&b.catalogue, &plan.common);
    struct test *tests = plan_tests(&plan, &n);
    for (size_t i = 0; i < n; i++)
        add_point(&b, &plan, &tests[i]);
    b.repetitions = plan.goals ? REPETITIONS_GOALS : REPETITIONS;
    b.settings = settings();
    if (plan.common.budget == 0 && plan.common.repetitions == 0)
        plan.common.budget = BUDGET;

    /* A second thread that sleeps: the C library's locks are cheaper while there is one only. */
    struct worker_group *second = workers_start(1, WORKER_THREADS, nothing, NULL);
    if (second == NULL)
        bench_die("no second thread");
    int status = bench_whole(&b, &plan.common);
    workers_go(second);
    workers_join(second);
    free(tests);
    return status;
}
