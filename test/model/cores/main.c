/* SPDX-License-Identifier: MIT */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../engine/model.h"
#include "../engine/report.h"
#include "locks.h"
#include "machine.h"
#include "run.h"

#define EXIT_USAGE 2

static struct {
    unsigned cores[16], core_counts, nodes;
    const struct cores_lock *locks[32];
    unsigned lock_count;
    double inside, outside, duration;
    unsigned reads, seed;
    bool list;
} options = {.nodes = 1, .inside = 100, .outside = 0, .duration = 1000, .seed = 1};

static const struct {
    const char *name, *about;
    uint64_t *value;
} costs[] = {
    {"hit", "an access to a line that the core has", &machine_costs.hit},
    {"locked", "a locked instruction, on top of that", &machine_costs.locked},
    {"near", "a line comes from a core of the same node", &machine_costs.near},
    {"far", "a line comes from another node", &machine_costs.far},
    {"memory", "a line comes from memory", &machine_costs.memory},
    {"busy", "a line that is read by one can go to nobody else", &machine_costs.busy},
    {"hold", "a core has a line that it has got before others may take it", &machine_costs.hold},
    {"pause", "a thread that polls pauses", &machine_costs.pause},
    {"clock", "the clock is read", &machine_costs.clock},
    {"call", "a call of the kernel", &machine_costs.call},
    {"wake", "a thread is woken", &machine_costs.wake},
    {"latency", "until a woken thread runs", &machine_costs.latency},
    {"interrupt", "a core is interrupted for the fence of another", &machine_costs.interrupt},
};
#define COSTS (sizeof costs / sizeof *costs)

static double number(const char *text, double least, double most, const char *what,
                     struct argp_state *state)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end != '\0' || !(value >= least && value <= most))
        argp_error(state, "%s: %s is not from %g to %g", what, text, least, most);
    return value;
}

static unsigned whole(const char *text, unsigned least, unsigned most, const char *what,
                      struct argp_state *state)
{
    double value = number(text, least, most, what, state);

    if (value != (double)(unsigned)value)
        argp_error(state, "%s: %s is no whole number", what, text);
    return (unsigned)value;
}

static void read_cores(char *text, struct argp_state *state)
{
    options.core_counts = 0;
    for (char *one = strtok(text, ","); one != NULL; one = strtok(NULL, ",")) {
        if (options.core_counts == sizeof options.cores / sizeof *options.cores)
            argp_error(state, "--cores: too many");
        options.cores[options.core_counts++] = whole(one, 1, MACHINE_MAX_CORES, "--cores", state);
    }
    if (options.core_counts == 0)
        argp_error(state, "--cores: how many?");
}

/* NAME=NS */
static void set_cost(const char *text, struct argp_state *state)
{
    size_t length = strcspn(text, "=");

    for (unsigned i = 0; i < COSTS; i++)
        if (strlen(costs[i].name) == length && strncmp(costs[i].name, text, length) == 0 &&
            text[length] == '=') {
            *costs[i].value = (uint64_t)(number(text + length + 1, 0, 1e6, "--set", state) * NS);
            return;
        }
    argp_error(state, "--set: %s is no NAME=NS; --list shows the names", text);
}

static const struct cores_lock *lock_named(const char *name)
{
    for (size_t i = 0; i < cores_lock_count; i++)
        if (strcmp(cores_locks[i]->name, name) == 0)
            return cores_locks[i];
    return NULL;
}

static void add_lock(const char *name, struct argp_state *state)
{
    const struct cores_lock *lock = lock_named(name);

    if (lock == NULL)
        argp_error(state, "no lock %s; --list shows those that there are", name);
    if (options.lock_count == sizeof options.locks / sizeof *options.locks)
        argp_error(state, "too many locks");
    options.locks[options.lock_count++] = lock;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case 'c':
        read_cores(arg, state);
        return 0;
    case 'n':
        options.nodes = whole(arg, 1, MACHINE_MAX_NODES, "--nodes", state);
        return 0;
    case 'i':
        options.inside = number(arg, 0, 1e6, "--inside", state);
        return 0;
    case 'o':
        options.outside = number(arg, 0, 1e6, "--outside", state);
        return 0;
    case 'r':
        options.reads = whole(arg, 0, 100, "--reads", state);
        return 0;
    case 'd':
        options.duration = number(arg, 1, 1e6, "--duration", state);
        return 0;
    case 's':
        options.seed = whole(arg, 0, 1000000000, "--seed", state);
        return 0;
    case 'x':
        set_cost(arg, state);
        return 0;
    case 'l':
        options.list = true;
        return 0;
    case ARGP_KEY_END:
        if (machine_costs.hit == 0 || machine_costs.pause == 0)
            argp_error(state, "--set: hit and pause take some time");
        return 0;
    case ARGP_KEY_ARG:
        add_lock(arg, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option known_options[] = {
    {"cores", 'c', "N,...", 0, "With N cores (2,4,8,16,32,64,128)", 0},
    {"nodes", 'n', "N", 0, "... in N nodes (1)", 0},
    {"inside", 'i', "NS", 0, "Work with the lock (100)", 0},
    {"outside", 'o', "NS", 0, "Work without, on average (0)", 0},
    {"reads", 'r', "PERCENT", 0, "Of those that lock, the share that only reads (0)", 0},
    {"duration", 'd', "US", 0, "How long the machine runs, in its time (1000)", 0},
    {"seed", 's', "N", 0, "Of the times outside (1)", 0},
    {"set", 'x', "NAME=NS", 0, "What something costs", 0},
    {"list", 'l', NULL, 0, "List locks and costs", 0},
    {0}};

static void list(void)
{
    for (size_t i = 0; i < cores_lock_count; i++)
        printf("%-14s %s\n", cores_locks[i]->name, cores_locks[i]->about);
    printf("\n");
    for (unsigned i = 0; i < COSTS; i++)
        printf("%-14s %s: %g ns\n", costs[i].name, costs[i].about,
               (double)*costs[i].value / (double)NS);
}

static bool run_one(const struct cores_lock *lock, unsigned cores)
{
    const struct run_plan plan = {
        .cores = cores,
        .nodes = options.nodes < cores ? options.nodes : cores,
        .inside = (uint64_t)(options.inside * NS),
        .outside = (uint64_t)(options.outside * NS),
        .reads = options.reads,
        .duration = (uint64_t)(options.duration * 1000 * NS),
        .seed = options.seed,
    };
    struct run_result r;

    if (!run_lock(lock, &plan, &r)) {
        printf("%-14s %5u FAILED: ", lock->name, cores);
        report_failure(&model_failure);
        return false;
    }
    printf("%-14s %5u %10.0f %7.2f %7.2f %7.2f %7.2f %7.2f %7.4f %9.0f %10.1f %9.3f\n", lock->name,
           cores, r.per_second / 1000, r.ideal, r.misses, r.far, r.failed, r.sleeps, r.fences,
           r.hand_over, r.longest_wait / 1000, r.variation);
    fflush(stdout); /* the next may take a minute */
    return true;
}

/* What was written has to have arrived. */
static int written(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    perror("fw-cores: standard output");
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    const struct argp argp = {
        .options = known_options,
        .parser = parse,
        .args_doc = "[LOCK...]",
        .doc = "Runs locks on a simulated machine of many cores with coherent caches, and counts.\v"
               "The lock is passed on as fast as it goes; equal arguments give equal figures.  "
               "Where no LOCK is named, all run: with --reads those that let several read.  "
               "Exit status: 0 good, 1 a lock failed, 2 bad usage."};
    bool good = true;

    argp_err_exit_status = EXIT_USAGE;
    if (argp_parse(&argp, argc, argv, 0, NULL, NULL) != 0)
        return EXIT_USAGE;
    if (options.list) {
        list();
        return written(EXIT_SUCCESS);
    }
    if (options.lock_count == 0)
        for (size_t i = 0; i < cores_lock_count; i++)
            if (strcmp(cores_locks[i]->name, "none") != 0 &&
                (cores_locks[i]->read != NULL) == (options.reads != 0))
                options.locks[options.lock_count++] = cores_locks[i];
    if (options.core_counts == 0)
        for (unsigned n = 2; n <= MACHINE_MAX_CORES; n *= 2)
            options.cores[options.core_counts++] = n;
    printf("%-14s %5s %10s %7s %7s %7s %7s %7s %7s %9s %10s %9s\n", "lock", "cores", "thousand/s",
           "ideal", "lines", "far", "failed", "sleeps", "fences", "hand-off", "longest us",
           "variation");
    for (unsigned k = 0; k < options.core_counts; k++)
        for (unsigned i = 0; i < options.lock_count; i++)
            good &= run_one(options.locks[i], options.cores[k]);
    return written(good ? EXIT_SUCCESS : EXIT_FAILURE);
}
