/* SPDX-License-Identifier: MIT */
/*
 * rtlatency: what lock and unlock cost real-time tasks.
 *
 * After section V of Splet, Vanga, Brandenburg and Dziadek, "Fast on Average, Predictable in the
 * Worst Case: Exploring Real-Time Futexes in LITMUS^RT" (RTSS 2014); written anew from its text.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure/clock.h"
#include "measure/workers.h"
#include "rtlatency.h"
#include "ticks.h"

enum {
    LIST_MAX = 8,
    RUN_MS = 1000,
    RUN_MS_MAX = 5000, /* longer ones would fill the kernel's records */
    QUICK_MS = 50,
    REPETITIONS = 11,
    QUICK_REPETITIONS = 2,
    ONE_CPU_TASKS = 5, /* section V-A */
    MANY_CPU_TASKS = 6,
    MANY_CPUS = 3,
    CLOCK_READS = 1000,
    LOOPS = 100000,
    PATIENCE_S = 15, /* with the longest run */
    EXIT_SKIPPED = 77
};

static const char baseline[] = "PRIO_INHERIT";

struct command {
    struct bench_options common;
    unsigned pairs[LIST_MAX];
    size_t n_pairs;
    unsigned run_ms;
    uint64_t seed;
    fw_rt_tier tier;
    bool only_pairs, only_tasks, quick, emulated;
};

static struct command command = {.seed = 1};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &c->common;
        return 0;
    case 'p':
        c->only_pairs = true;
        return 0;
    case 't':
        c->only_tasks = true;
        return 0;
    case 'e':
        c->emulated = c->only_tasks = true;
        return 0;
    case 'q':
        c->quick = true;
        return 0;
    case 'n':
        c->n_pairs = bench_numbers("--group", arg, 2, TASKS_MAX, c->pairs, LIST_MAX);
        return 0;
    case 'm':
        c->run_ms = (unsigned)bench_number("--milliseconds", arg, 10, RUN_MS_MAX);
        return 0;
    case 's':
        c->seed = bench_number("--seed", arg, 0, UINT32_MAX);
        return 0;
    case 'T':
        if (strcmp(arg, "A") != 0 && strcmp(arg, "B") != 0)
            bench_die("--tier takes A or B, not \"%s\"", arg);
        c->tier = arg[0] == 'A' ? FW_RT_TIER_A : FW_RT_TIER_B;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"pairs", 'p', NULL, 0, "only what a pair costs that meets nobody", 0},
    {"tasks", 't', NULL, 0, "only the periodic tasks of the paper", 0},
    {"group", 'n', "N[,N...]", 0, "pairs: tasks of the group, all but one asleep (2,5,16)", 0},
    {"milliseconds", 'm', "MS", 0, "tasks: length of a run (1000)", 0},
    {"seed", 's', "N", 0, "tasks: of their lengths and periods (1)", 0},
    {"tier", 'T', "A|B", 0, "of furwock-rt (B where its scheduler runs, else A)", 0},
    {"emulated", 'e', NULL, 0, "tasks, on a machine whose time is instructions (tools/vm)", 0},
    {"quick", 'q', NULL, 0, "to see that it works: 2 repetitions of 50 ms", 0},
    {0},
};

static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .args_doc = "[PROTOCOL...]",
    .children = children,
    .doc = "What lock and unlock cost real-time tasks under each PROTOCOL: pairs that meet nobody, "
           "and the periodic tasks of section V of \"Fast on Average, Predictable in the Worst "
           "Case\" (five on one CPU, six on three), in the form of its Table 1, with its figures "
           "beside.\vNeeds the right to use SCHED_FIFO; without it the exit status is 77.",
};

/* What there is, and what this machine does not have. */
static void offer(struct bench_catalogue *k, const struct command *c)
{
    static struct missing_adapter missing[BENCH_LOCKS_MAX];
    static char why[BENCH_LOCKS_MAX][160];
    bool allowed = real_time_allowed() == 0;

    for (size_t i = 0; i < n_variants; i++) {
        const struct variant *v = &variants[i];
        if (!allowed || variant_try(v, c->tier, why[i], sizeof why[i]) == 0) {
            k->locks[k->n++] = &v->head;
            continue;
        }
        missing[k->n_missing] = (struct missing_adapter){v->head.name, why[i]};
        k->missing[k->n_missing] = &missing[k->n_missing];
        k->n_missing++;
    }
}

/* --- The points ------------------------------------------------------------------------------ */

static const char *tier_name(const struct command *c)
{
    fw_rt_group *group;
    fw_rt_tier tier = c->tier;

    if (tier == FW_RT_TIER_ANY && fw_rt_group_open(&group, NULL, tier) == 0) {
        tier = fw_rt_group_tier(group);
        fw_rt_group_close(group);
    }
    return tier == FW_RT_TIER_B ? "B" : "A";
}

static void add_point(struct bench *b, const struct command *c, const struct spot *proto)
{
    struct spot *s = malloc(sizeof *s);
    const char *kind = proto->is_pairs ? "pairs" : "tasks";
    struct bench_point *p;

    if (s == NULL)
        bench_die("no memory");
    *s = *proto;
    p = bench_add_point(b, 1,
                        json_pack("{s:s s:i s:i s:s s:i}", "kind", kind, "tasks", (int)s->tasks,
                                  "cpus", (int)s->cpus, "tier", tier_name(c), "run_ms",
                                  (int)s->run_ms));
    p->detail = s;
    snprintf(p->title, sizeof p->title, "%s: %u tasks on %u CPU%s", kind, s->tasks, s->cpus,
             s->cpus == 1 ? "" : "s");
    for (size_t i = 0; i < b->catalogue.n; i++) {
        const struct variant *v = (const struct variant *)b->catalogue.locks[i];
        bool fits = s->is_pairs || (s->cpus == 1 ? v->one_cpu : v->many_cpus);
        if (fits && (v->extra == NO_CALL || c->common.n > 0) &&
            bench_wanted(&c->common, v->head.name, baseline))
            bench_add_entry(p, &v->head, baseline);
    }
    s->samples = calloc(p->n + 1, sizeof *s->samples);
    if (s->samples == NULL)
        bench_die("no memory");
}

static void add_points(struct bench *b, const struct command *c)
{
    struct spot s = {.bench = b,
                     .tier = c->tier,
                     .seed = c->seed,
                     .cpus = 1,
                     .unit = c->emulated ? "instructions, emulated" : "ns"};
    unsigned cpus = cpus_usable();

    s.is_pairs = true;
    for (size_t i = 0; i < c->n_pairs && !c->only_tasks; i++) {
        s.tasks = c->pairs[i];
        add_point(b, c, &s);
    }
    if (c->only_pairs)
        return;
    s.is_pairs = false;
    s.run_ms = c->run_ms;
    s.tasks = ONE_CPU_TASKS;
    add_point(b, c, &s);
    s.tasks = MANY_CPU_TASKS;
    s.cpus = cpus < MANY_CPUS ? cpus : MANY_CPUS;
    if (cpus < MANY_CPUS)
        bench_note(b, "%u tasks on %u CPU%s: the paper has them on %d", s.tasks, cpus,
                   cpus == 1 ? "" : "s", MANY_CPUS);
    if (cpus > 1)
        add_point(b, c, &s);
}

static void complete(struct command *c)
{
    if (c->only_pairs && c->only_tasks)
        bench_die("--pairs and --tasks together are everything: give none of the two");
    if (c->n_pairs == 0)
        for (unsigned n = 2; n <= 16; n = n == 2 ? 5 : n == 5 ? 16 : 17)
            c->pairs[c->n_pairs++] = n;
    if (c->run_ms == 0)
        c->run_ms = c->quick ? QUICK_MS : RUN_MS;
}

/* What reading the counter twice adds to each figure of the tasks. */
static void tell_counter(struct bench *b)
{
    uint64_t least = UINT64_MAX, began = clock_ns(), first = ticks_before(), last = first;

    for (int i = 0; i < CLOCK_READS; i++) {
        uint64_t before = ticks_before(), after = ticks_after();
        least = after - before < least ? after - before : least;
        last = after;
    }
    bench_note(b, "reading the counter twice is in each figure of the tasks: %.0f ns",
               (double)least * (double)(clock_ns() - began) / (double)(last - first + 1));
}

/* Is each tick of the CPU's counter an instruction? */
static bool ticks_are_instructions(void)
{
    uint64_t before = ticks_before(), ticks;

    for (unsigned i = 0; i < LOOPS; i++)
        __asm__ volatile("nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop");
    ticks = ticks_after() - before;
    /* Some for the loop itself, and for interrupts. */
    return ticks >= UINT64_C(8) * LOOPS && ticks <= UINT64_C(16) * LOOPS;
}

/* A real-time thread that goes on forever would take the machine along. */
static void give_up(int number)
{
    static const char line[] = "rtlatency: a run does not end\n";
    ssize_t unused = write(STDERR_FILENO, line, sizeof line - 1);

    (void)number;
    (void)unused;
    _exit(1);
}

static bool spot_run(struct bench_point *p, struct bench_entry *e, struct bench_run *out)
{
    const struct spot *s = p->detail;
    bool good;

    alarm(PATIENCE_S);
    good = s->is_pairs ? pairs_run(p, e, out) : tasks_run(p, e, out);
    alarm(0);
    return good;
}

int main(int argc, char **argv)
{
    static struct bench b = {.name = "rtlatency",
                             .unit = "pair",
                             .repetitions = REPETITIONS,
                             .run = spot_run,
                             .print_points = table_print,
                             .print_more = goals_print,
                             .describe = table_describe};
    struct command *c = &command;

    bench_begin("rtlatency");
    signal(SIGALRM, give_up);
    argp_parse(&command_line, argc, argv, 0, NULL, c);
    offer(&b.catalogue, c);
    bench_check_names(&b.catalogue, &c->common);
    complete(c);
    if (real_time_allowed() != 0) {
        bench_warn("SCHED_FIFO is refused: it needs root, CAP_SYS_NICE or a limit (ulimit -r)");
        return EXIT_SKIPPED;
    }
    if (c->emulated && !ticks_are_instructions()) {
        bench_warn("the CPU's counter does not count instructions (tools/vm --icount)");
        return EXIT_SKIPPED;
    }
    if (c->quick)
        b.repetitions = QUICK_REPETITIONS;
    mlockall(MCL_CURRENT | MCL_FUTURE); /* where it is refused, the first touches cost more */
    tell_counter(&b);
    add_points(&b, c);
    b.settings =
        json_pack("{s:i s:I s:s s:s}", "run_ms", (int)c->run_ms, "seed", (json_int_t)c->seed,
                  "tier", tier_name(c), "figures", c->emulated ? "instructions, emulated" : "ns");
    return bench_whole(&b, &c->common);
}
