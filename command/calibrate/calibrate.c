/* SPDX-License-Identifier: MIT */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate.h"
#include "command/command.h"
#include "command/cpus.h"
#include "command/print/result_file.h"
#include "measure/clock.h"
#include "measure/stats.h"

enum { ROUNDS_LEAST = STATS_INTERVAL_LEAST, ROUNDS_MOST = 20000 };

#define SECONDS_DEFAULT 5.0
#define SECONDS_LEAST 0.1
#define SECONDS_MOST 3600.0

struct options {
    const char *json; /* NULL: none; "-": instead of the table */
    const char *cpus;
    double seconds;
};

static double read_seconds(const char *text)
{
    char *end;
    double seconds = strtod(text, &end);

    if (end == text || *end != '\0' || !(seconds >= SECONDS_LEAST && seconds <= SECONDS_MOST))
        command_die(COMMAND_USAGE, "--seconds takes a number from %g to %g, not \"%s\"",
                    SECONDS_LEAST, SECONDS_MOST, text);
    return seconds;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case 'j':
        o->json = arg;
        return 0;
    case 's':
        o->seconds = read_seconds(arg);
        return 0;
    case 'c':
        o->cpus = arg;
        return 0;
    case ARGP_KEY_ARG:
        command_die_of_word(arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"json", 'j', "FILE", 0, "also write the result to FILE; -: to standard output, and no table",
     0},
    {"seconds", 's', "N", 0, "measure for that long (5)", 0},
    {"cpus", 'c', "LIST", 0, "use these CPUs, as 0,2-5, and not all that the process may use", 0},
    {0},
};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .doc =
        "Measure how long it pays to spin before sleeping.\v"
        "After section 3.2 of Gustedt, \"Futex based locks for C11's generic atomics\" (INRIA "
        "RR-8818, 2015).  A thread that finds the lock of an atomic object held looks at it "
        "again after some pause instructions, and then sleeps.  As long as that takes no longer "
        "than 0.9 * E * t_fail, the threads that go to sleep keep pace with those that arrive.\n\n"
        "t_fail is the larger of two times: a futex wait that fails, and putting one thread to "
        "sleep and starting another.  t_mono is the time that one thread, alone, needs for its "
        "looks, t_para the same while all P CPUs make theirs.  E = t_mono / t_para, and P-hat = "
        "P * E: how many CPUs the spinning threads have in effect.\n\n"
        "Each is the median of many rounds, with the 95 % interval of that median.  A wide "
        "interval means that the machine is busy: measure again, or for longer.\n\n"
        "The exit status is 0; 1 if the machine does not allow the measurement; 2 for a usage "
        "error.",
};

static void write_result(const struct calibration *c, struct result_file *file)
{
    struct printer p = print_begin(true, "furwock-calibrate-1");

    if (p.json == NULL)
        command_die(COMMAND_FAILED, "no memory");
    calibrate_print(&p, c);
    if (!result_file_write(file, p.json, JSON_INDENT(1) | JSON_REAL_PRECISION(6)))
        command_die(COMMAND_FAILED, "cannot write %s: %s", file->path, strerror(errno));
    json_decref(p.json);
}

static bool measure(struct calibration *c)
{
    uint64_t began = clock_ns();

    c->rounds = malloc(ROUNDS_MOST * sizeof *c->rounds);
    if (c->rounds == NULL)
        command_die(COMMAND_FAILED, "no memory");
    do {
        if (!calibrate_round(c->cpus, c->n, &c->rounds[c->n]))
            return false;
        c->n++;
        c->seconds = (double)(clock_ns() - began) / 1e9;
    } while (c->n < ROUNDS_LEAST || (c->n < ROUNDS_MOST && c->seconds < c->seconds_wanted));
    return true;
}

static int run(int argc, char **argv)
{
    struct options o = {.seconds = SECONDS_DEFAULT};
    struct printer text = print_begin(false, NULL);
    struct calibration c = {0};
    cpu_set_t wanted, cpus;
    struct result_file file = {0};

    argp_parse(&command_line, argc, argv, 0, NULL, &o);
    if (o.cpus != NULL && !cpus_read(o.cpus, &wanted))
        command_die(COMMAND_USAGE, "--cpus takes CPUs as 0,2-5, not \"%s\"", o.cpus);
    cpus_take(o.cpus != NULL ? &wanted : NULL, &cpus);
    if (o.json != NULL && !result_file_open(&file, o.json))
        command_die(COMMAND_FAILED, "cannot write %s: %s", o.json, strerror(errno));

    c.cpus = (unsigned)CPU_COUNT(&cpus);
    c.seconds_wanted = o.seconds;
    cpus_write(&cpus, c.cpu_list, sizeof c.cpu_list);
    machine_describe(&c.machine);
    if (!measure(&c)) {
        if (o.json != NULL)
            result_file_leave(&file);
        return COMMAND_FAILED;
    }
    calibrate_conclude(&c);
    if (o.json == NULL || strcmp(o.json, "-") != 0)
        calibrate_print(&text, &c);
    if (o.json != NULL)
        write_result(&c, &file);
    free(c.rounds);
    return EXIT_SUCCESS;
}

const struct command command_calibrate = {
    .name = "calibrate",
    .about = "measure how long it pays to spin before sleeping",
    .run = run,
};
