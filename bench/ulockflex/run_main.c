/* SPDX-License-Identifier: MIT */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bench/common/bench.h"
#include "measure/clock.h"
#include "run.h"

/* Exit statuses; the front end knows them too. */
enum { EXIT_GOOD = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_VIOLATED = 3 };

#define TASKS_MAX 1000000
#define LOCKS_MAX 10000000
#define TIME_MAX_US 1e6
#define SECONDS_MAX 86400.0

enum action { ACTION_RUN, ACTION_LIST, ACTION_CALIBRATE };

struct command {
    struct options options;
    const char *lock;
    enum action action;
};

enum key {
    KEY_SEED = 256,
    KEY_PROBE,
    KEY_EVENTS,
    KEY_PARENT,
    KEY_LIST,
    KEY_CALIBRATE,
    KEY_RATE,
    KEY_SHARE,
    KEY_MEMORY,
    KEY_REGIONS
};

static const struct argp_option argp_options[] = {
    {"lock", 'l', "NAME", 0, "The lock to run", 0},
    {"kind", 'k', "threads|processes", 0, "What a task is", 0},
    {"tasks", 't', "N", 0, "Number of tasks", 0},
    {"locks", 'n', "N", 0, "Number of locks; task i uses lock i modulo N", 0},
    {"pick", 'p', "own|random", 0, "Or a task picks a lock at random each time", 0},
    {"memory", KEY_MEMORY, "anonymous|shmat|file", 0, "Where the locks lie", 0},
    {"regions", KEY_REGIONS, "N", 0, "In how many regions of it; lock i in region i modulo N", 0},
    {"share", KEY_SHARE, "PERCENT", 0, "Ask for a read lock that often, else for a write lock", 0},
    {"lht", 'i', "US", 0, "Mean time inside the lock, in microseconds", 0},
    {"nlht", 'o', "US", 0, "Mean time outside, in microseconds", 0},
    {"seconds", 's', "S", 0, "How long to measure", 0},
    {"seed", KEY_SEED, "N", 0, "Same seed, same random times", 0},
    {"rate", KEY_RATE, "X", 0, "Steps of work in a nanosecond; see --calibrate", 0},
    {"probe", KEY_PROBE, "waits|contention|syscalls", 0, "Measure this too, at some cost", 0},
    {"events", KEY_EVENTS, "ID[,ID]", 0,
     "Ids of tracepoints raw_syscalls:sys_enter and syscalls:sys_enter_membarrier, for the probe",
     0},
    {"parent", KEY_PARENT, "PID", 0, "End when this process, the parent, ends", 0},
    {"list", KEY_LIST, NULL, 0, "Print the locks", 0},
    {"calibrate", KEY_CALIBRATE, NULL, 0, "Print the steps of work in a nanosecond", 0},
    {0},
};

void complain(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("ulockflex-run: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

/* A number between low and high, or the end of the program. */
static double number(const char *text, const char *name, double low, double high)
{
    char *end;

    errno = 0;
    double value = strtod(text, &end);

    if (end == text || *end != '\0' || errno != 0 || !(value >= low && value <= high)) {
        complain("%s must be a number from %g to %g, not \"%s\"", name, low, high, text);
        exit(EXIT_USAGE);
    }
    return value;
}

static unsigned count(const char *text, const char *name, double high)
{
    double value = number(text, name, 1, high);

    if (value != floor(value)) {
        complain("%s must be a whole number, not \"%s\"", name, text);
        exit(EXIT_USAGE);
    }
    return (unsigned)value;
}

/* One id, or two with a comma between them. */
static void read_events(const char *text, struct options *o)
{
    int first = 0, both = 0;

    sscanf(text, "%ld%n,%ld%n", &o->event, &first, &o->fence_event, &both);
    if ((first == 0 || text[first] != '\0') && (both == 0 || text[both] != '\0')) {
        complain("--events must be an id or two (1,2), not \"%s\"", text);
        exit(EXIT_USAGE);
    }
}

/* The index of text among the NULL-terminated choices, or the end of the program. */
static int choice(const char *text, const char *name, const char *const *choices)
{
    for (int i = 0; choices[i] != NULL; i++)
        if (strcmp(text, choices[i]) == 0)
            return i;
    fprintf(stderr, "ulockflex-run: unknown %s \"%s\"; there are:", name, text);
    for (int i = 0; choices[i] != NULL; i++)
        fprintf(stderr, " %s", choices[i]);
    fputc('\n', stderr);
    exit(EXIT_USAGE);
}

static error_t parse_measure(int key, char *text, struct command *c)
{
    static const char *const probes[] = {"none", "waits", "contention", "syscalls", NULL};
    struct options *o = &c->options;

    switch (key) {
    case KEY_SHARE:
        o->sharing = true;
        o->share = number(text, "--share", 0, 100) / 100;
        return 0;
    case KEY_MEMORY:
        o->memory = (enum memory)choice(text, "memory", memory_names);
        return 0;
    case KEY_REGIONS:
        o->regions = count(text, "--regions", REGIONS_MAX);
        return 0;
    case KEY_SEED:
        o->seed = strtoull(text, NULL, 0);
        return 0;
    case KEY_RATE:
        o->rate = number(text, "--rate", 1e-3, 1e3);
        return 0;
    case KEY_PROBE:
        o->probe = (enum probe)choice(text, "probe", probes);
        return 0;
    case KEY_EVENTS:
        read_events(text, o);
        return 0;
    case KEY_PARENT:
        o->parent = (pid_t)number(text, "--parent", 1, 1e9);
        return 0;
    case KEY_LIST:
        c->action = ACTION_LIST;
        return 0;
    case KEY_CALIBRATE:
        c->action = ACTION_CALIBRATE;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    static const char *const kinds[] = {"threads", "processes", NULL};
    static const char *const picks[] = {"own", "random", NULL};
    struct command *c = state->input;
    struct options *o = &c->options;

    switch (key) {
    case 'l':
        c->lock = text;
        return 0;
    case 'k':
        o->processes = choice(text, "kind", kinds) == 1;
        return 0;
    case 't':
        o->tasks = count(text, "--tasks", TASKS_MAX);
        return 0;
    case 'n':
        o->locks = count(text, "--locks", LOCKS_MAX);
        return 0;
    case 'p':
        o->random_pick = choice(text, "pick", picks) == 1;
        return 0;
    case 'i':
        o->lht_us = number(text, "--lht", 0, TIME_MAX_US);
        return 0;
    case 'o':
        o->nlht_us = number(text, "--nlht", 0, TIME_MAX_US);
        return 0;
    case 's':
        o->seconds = number(text, "--seconds", 0.001, SECONDS_MAX);
        return 0;
    default:
        return parse_measure(key, text, c);
    }
}

/* The lock of that name, or the end of the program. */
static void find_lock(struct options *o, const char *name)
{
    if (name == NULL) {
        complain("no --lock given");
        exit(EXIT_USAGE);
    }
    if (subject_find(&o->lock, name, o->sharing))
        return;
    if (!o->sharing && subject_find(&o->lock, name, true)) {
        complain("%s: a read-write lock; give --share", name);
        exit(EXIT_USAGE);
    }
    fprintf(stderr, "ulockflex-run: unknown lock \"%s\"; there are:", name);
    subject_names(stderr, o->sharing);
    fputc('\n', stderr);
    exit(EXIT_USAGE);
}

/* What the options ask for together; one line and the end of the program where they do not fit. */
static void check(const struct options *o)
{
    const struct subject *s = &o->lock;
    const char *wrong = NULL;

    if (o->processes && (s->head->flags & ADAPTER_SHARED) == 0)
        wrong = "this lock works between threads only";
    else if (!o->processes && (s->head->flags & ADAPTER_PROCESSES) != 0)
        wrong = "this lock works between processes only";
    else if (o->probe == PROBE_CONTENTION &&
             (s->calls[MODE_READ].trylock == NULL || s->calls[MODE_WRITE].trylock == NULL))
        wrong = "this lock has no trylock, by which contention is measured";
    else if (o->memory != MEMORY_ANONYMOUS && (s->head->flags & ADAPTER_REGION) != 0)
        wrong = "this lock works in a region of its own kind only, not in other memory";
    else if (o->regions > o->locks)
        wrong = "more regions than locks";
    if (wrong == NULL)
        return;
    complain("%s: %s", s->head->name, wrong);
    exit(EXIT_USAGE);
}

static int run(struct options *o)
{
    struct shared_state shared;
    struct window window = {0};

    if (o->parent != 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != o->parent))
        return EXIT_FAILED;
    if (o->rate != 0)
        work_set_rate(o->rate);
    else
        work_calibrate();
    if (!shared_open(&shared, o))
        return EXIT_FAILED;
    bool good = measure(&shared, &window);
    uint64_t violations = good ? summary_print(&shared, &window) : 0;

    shared_close(&shared);
    free(window.counts);
    return !good ? EXIT_FAILED : violations != 0 ? EXIT_VIOLATED : EXIT_GOOD;
}

int main(int argc, char **argv)
{
    static const struct argp_child children[] = {{&bench_cpus_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        argp_options, parse,
        NULL,         "One run of one lock: prints a JSON object.  `ulockflex` plans such runs.",
        children,     NULL,
        NULL};
    struct command c = {.options = {.tasks = 1,
                                    .locks = 1,
                                    .regions = 1,
                                    .seconds = 1,
                                    .seed = 1,
                                    .event = -1,
                                    .fence_event = -1}};

    argp_err_exit_status = EXIT_USAGE;
    if (argp_parse(&argp, argc, argv, 0, NULL, &c) != 0)
        return EXIT_USAGE;
    if (c.action == ACTION_LIST) {
        list_print();
        return EXIT_GOOD;
    }
    if (c.action == ACTION_CALIBRATE) {
        printf("{\"rate\":%.6f}\n", work_calibrate());
        return EXIT_GOOD;
    }
    find_lock(&c.options, c.lock);
    check(&c.options);
    return run(&c.options);
}
