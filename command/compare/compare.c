/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include <argp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "command/print/machine.h"
#include "command/print/print.h"
#include "command/print/visible.h"
#include "command/run/run.h"
#include "measure/stats.h"

enum { ROUNDS_LEAST = STATS_INTERVAL_LEAST, ROUNDS_MOST = 10000, ROUNDS = 15 };
enum { KEY_ANY_STATUS = 256 };

struct options {
    struct comparison comparison;
    bool as_json;
    int first; /* of the program's words; 0: none */
};

static unsigned read_rounds(const char *text)
{
    char *end;
    unsigned long rounds = strtoul(text, &end, 10);

    if (end == text || *end != '\0' || rounds < ROUNDS_LEAST || rounds > ROUNDS_MOST)
        command_die(COMMAND_USAGE, "--rounds takes a number from %d to %d, not \"%s\"",
                    ROUNDS_LEAST, ROUNDS_MOST, text);
    return (unsigned)rounds;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case 'r':
        o->comparison.rounds = read_rounds(arg);
        return 0;
    case 'p':
        if (!run_is_policy(arg))
            command_die(COMMAND_USAGE, "--policy is as of furwock run, not \"%s\"", arg);
        o->comparison.policy = arg;
        return 0;
    case 'j':
        o->as_json = true;
        return 0;
    case KEY_ANY_STATUS:
        o->comparison.any_status = true;
        return 0;
    case ARGP_KEY_ARG: /* and what follows is the program's */
        o->first = command_first_word(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"rounds", 'r', "N", 0, "run it N times each (15; at least 6, or there is no interval)", 0},
    {"policy", 'p', "POLICY", 0, "of furwock's locks, as furwock run has it", 0},
    {"any-status", KEY_ANY_STATUS, NULL, 0, "runs that end with another status than 0 count, too",
     0},
    COMMAND_JSON_OPTION,
    {0},
};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .args_doc = "[--] PROGRAM [ARGUMENT...]",
    .doc =
        "Run a program with its own locks and with furwock's in turn, and compare what it takes.\v"
        "Its standard output is discarded.  After one run of each that does not count, each round "
        "runs both, one round this one first, the next round the other.  Shown are the medians, "
        "the median of the ratios of the rounds (furwock's to the C library's; less than 1: "
        "furwock takes less), and its 95 % interval, which assumes no distribution.  Where that "
        "contains 1, no difference was found.  CPU time and sleeps are of the program and of "
        "the children that it has waited for.\n\n"
        "The exit status is 0; 1 if the program fails; 2 for a usage error; 127 if there is no "
        "such program, 126 if it cannot be run with furwock's locks.",
};

/* --- Showing ---------------------------------------------------------------------------------- */

struct row {
    const char *name, *unit;
    double own, furwock; /* medians */
    struct stats_ratio ratio;
};

static double value_of(const struct compare_run *r, unsigned which)
{
    return which == 0 ? r->seconds : which == 1 ? r->cpu_seconds : r->sleeps;
}

/* A run that never slept, or took no time that can be told, has no ratio: half of one stands in. */
static struct row make_row(const struct comparison *c, unsigned which)
{
    static const struct {
        const char *name, *unit;
        double least;
    } kinds[] = {{"time", "s", 1e-9}, {"cpu", "s", 5e-7}, {"sleeps", "", 0.5}};
    struct row row = {.name = kinds[which].name, .unit = kinds[which].unit};
    double *own = calloc(c->rounds, sizeof *own), *furwock = calloc(c->rounds, sizeof *furwock);

    if (own == NULL || furwock == NULL)
        command_die(COMMAND_FAILED, "no memory");
    for (unsigned i = 0; i < c->rounds; i++) {
        own[i] = fmax(value_of(&c->runs[COMPARE_OWN][i], which), kinds[which].least);
        furwock[i] = fmax(value_of(&c->runs[COMPARE_FURWOCK][i], which), kinds[which].least);
    }
    row.ratio = stats_median_ratio(furwock, own, c->rounds);
    row.own = stats_median(own, c->rounds);
    row.furwock = stats_median(furwock, c->rounds);
    free(own);
    free(furwock);
    return row;
}

static const char *conclude(const struct row *row)
{
    if (row->ratio.high < 1)
        return "less with furwock's";
    if (row->ratio.low > 1)
        return "more with furwock's";
    return "no difference was found";
}

static void show_row(const struct printer *p, const struct row *row)
{
    char text[64];

    if (p->json != NULL) {
        print_member(p, row->name,
                     json_pack("{s:o s:o s:o s:[o,o] s:s}", "c_library", print_real_json(row->own),
                               "furwock", print_real_json(row->furwock), "ratio",
                               print_real_json(row->ratio.ratio), "ci95",
                               print_real_json(row->ratio.low), print_real_json(row->ratio.high),
                               "conclusion", conclude(row)));
        return;
    }
    print_words(p, "  %-8s %10.4g %-2s %10.4g %-2s  %-22s %s\n", row->name, row->own, row->unit,
                row->furwock, row->unit, stats_text(text, sizeof text, row->ratio, 3),
                conclude(row));
}

static void show(const struct comparison *c, bool as_json)
{
    struct printer p = print_begin(as_json, "furwock-compare-1");
    struct machine m;

    if (as_json) {
        machine_describe(&m);
        print_machine(&p, &m);
        print_member(&p, "program", json_string(c->program));
        print_member(&p, "rounds", json_integer(c->rounds));
    }
    print_words(&p, "%s: %u rounds\n\n  %-8s %13s %13s  %s\n", c->words[0], c->rounds, "",
                "C library", "furwock", "ratio (95 %)");
    for (unsigned which = 0; which < 3; which++) {
        struct row row = make_row(c, which);

        show_row(&p, &row);
    }
    print_end(&p);
}

/* --- The rounds ------------------------------------------------------------------------------- */

static void measure(struct comparison *c)
{
    for (unsigned side = 0; side < COMPARE_SIDES; side++) {
        c->runs[side] = calloc(c->rounds, sizeof *c->runs[side]);
        if (c->runs[side] == NULL)
            command_die(COMMAND_FAILED, "no memory");
        compare_once(c, (enum compare_side)side);
    }
    for (unsigned i = 0; i < c->rounds; i++)
        for (unsigned k = 0; k < COMPARE_SIDES; k++) {
            enum compare_side side = (enum compare_side)((i + k) % COMPARE_SIDES);

            c->runs[side][i] = compare_once(c, side);
        }
}

static int run(int argc, char **argv)
{
    struct options o = {.comparison.rounds = ROUNDS};
    struct comparison *c = &o.comparison;

    argp_parse(&command_line, argc, argv, ARGP_IN_ORDER, NULL, &o);
    if (o.first == 0)
        command_die(COMMAND_USAGE, "a program is missing");
    c->words = argv + o.first;
    run_library(RUN_QUIET, c->library);
    run_find(c->words[0], c->program);
    run_check(c->program, c->words, RUN_QUIET, c->library, c->runtime);
    fflush(NULL);
    measure(c);
    show(c, o.as_json);
    for (unsigned side = 0; side < COMPARE_SIDES; side++)
        free(c->runs[side]);
    return EXIT_SUCCESS;
}

const struct command command_compare = {
    .name = "compare",
    .about = "measure what furwock's locks change for a program",
    .run = run,
};
