/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "measure/clock.h"

enum { REPETITIONS_MAX = 10000, BUDGET_MAX = 1000000, KEY_RESUME = 0x1100, KEY_DRY_RUN };

#define RECHECK_NS UINT64_C(50000000) /* an interrupt is noticed so late */

volatile sig_atomic_t bench_interrupted;
static const char *program; /* NULL: as it was started */

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    bench_interrupted = 1;
}

void bench_begin(const char *name)
{
    struct sigaction act = {.sa_handler = on_interrupt};

    program = name;
    argp_err_exit_status = BENCH_EXIT_USAGE;
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
}

void bench_sleep_ns(uint64_t ns)
{
    uint64_t end = clock_ns() + ns;

    for (uint64_t now; !bench_interrupted && (now = clock_ns()) < end;)
        clock_sleep_ns(end - now < RECHECK_NS ? end - now : RECHECK_NS);
}

static void complain(const char *format, va_list list)
{
    fprintf(stderr, "%s: ", program != NULL ? program : program_invocation_short_name);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
}

void bench_warn(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    complain(format, list);
    va_end(list);
}

void bench_die(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    complain(format, list);
    va_end(list);
    exit(BENCH_EXIT_USAGE);
}

/* Reads one number and what ends it; false where there is none within the bounds. */
static bool read_number(const char **text, unsigned long least, unsigned long most,
                        unsigned long *value)
{
    char *end;

    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    *value = strtoul(*text, &end, 10);
    *text = end;
    return errno == 0 && *value >= least && *value <= most;
}

unsigned long bench_number(const char *option, const char *text, unsigned long least,
                           unsigned long most)
{
    const char *rest = text;
    unsigned long value;

    if (!read_number(&rest, least, most, &value) || *rest != '\0')
        bench_die("%s takes a number from %lu to %lu, not \"%s\"", option, least, most, text);
    return value;
}

size_t bench_numbers(const char *option, const char *text, unsigned long least, unsigned long most,
                     unsigned *list, size_t max)
{
    const char *rest = text;
    unsigned long value;

    for (size_t n = 0; n < max; rest++) {
        if (!read_number(&rest, least, most, &value) || (*rest != '\0' && *rest != ','))
            break;
        list[n++] = (unsigned)value;
        if (*rest == '\0')
            return n;
    }
    bench_die("%s takes up to %zu numbers from %lu to %lu, as 1,2,3, not \"%s\"", option, max,
              least, most, text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct bench_options *o = state->input;

    switch (key) {
    case 'j':
        o->json = arg;
        return 0;
    case 'R':
        o->repetitions = (unsigned)bench_number("--repeat", arg, 2, REPETITIONS_MAX);
        return 0;
    case 'b':
        o->budget = (double)bench_number("--budget", arg, 1, BUDGET_MAX);
        return 0;
    case 'L':
        o->list = true;
        return 0;
    case KEY_DRY_RUN:
        o->dry_run = true;
        return 0;
    case KEY_RESUME:
        o->resume = true;
        return 0;
    case ARGP_KEY_ARG:
        if (o->n == BENCH_LOCKS_MAX)
            bench_die("more than %d names of locks", BENCH_LOCKS_MAX);
        o->names[o->n++] = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"repeat", 'R', "N", 0, "how often each lock is run, in turns with the others", 1},
    {"budget", 'b', "SECONDS", 0, "begin no repetition after that time, once there are six", 1},
    {"json", 'j', "FILE", 0, "also write the results to FILE", 1},
    {"resume", KEY_RESUME, NULL, 0, "go on with FILE, where that was interrupted", 1},
    {"dry-run", KEY_DRY_RUN, NULL, 0, "only tell what would be run", 1},
    {"list", 'L', NULL, 0, "name the locks there are, and those that are missing", 1},
    {0},
};

static const struct argp_child children[] = {{&bench_cpus_argp, 0, NULL, 0}, {0}};

const struct argp bench_argp = {.options = options, .parser = parse, .children = children};
