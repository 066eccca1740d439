/* SPDX-License-Identifier: MIT */
/*
 * fw-model: tries every interleaving of small programs on furwock's locks.  See README.md.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "engine/report.h"
#include "engine/search.h"
#include "faults.h"
#include "names.h"
#include "quick.h"
#include "schedule.h"

#define DEFAULT_STATES 30000000u

enum fault_rule model_broken_rule;
unsigned model_fault_in_use;
const void *calls_in_use[FAMILIES];

static struct {
    const char *program, *fault, *group, *replay;
    bool list, stats, deep, quick, most, copies;
    struct search_limits limits;
} options = {.limits = {SEARCH_UNBOUNDED, DEFAULT_STATES, NULL}};

/* --- Running -------------------------------------------------------------------------------- */

static void print_end(void)
{
    for (unsigned i = 0; i < model_thread_count; i++)
        printf("  thread %c: %s\n", 'A' + i,
               model_threads[i].status == THREAD_DONE     ? "done"
               : model_threads[i].status == THREAD_ASLEEP ? "asleep"
                                                          : "under way");
    report_memory();
}

/* Replays and prints; false where the schedule does not fit. */
static bool show(const struct model_choice *schedule, unsigned length)
{
    unsigned bad = 0;
    bool fits;

    report_on = true;
    report_begin();
    fits = search_replay(schedule, length, &bad);
    report_on = false;
    if (!fits) {
        fprintf(stderr, "fw-model: step %u of the schedule is not possible\n", bad + 1);
        return false;
    }
    print_end();
    return true;
}

static void print_schedule(struct search_result *r)
{
    if (r->preemptions != SEARCH_UNBOUNDED)
        printf("shortest schedule with the fewest preemptions (%u), %u steps:\n\n", r->preemptions,
               r->length);
    else
        printf("%s schedule, %u steps:\n\n", r->walks != 0 ? "one" : "shortest", r->length);
    show(r->schedule, r->length);
    if (model_failure.kind != NULL && strcmp(model_failure.kind, r->failure.kind) != 0) {
        fprintf(stderr, "fw-model: the schedule leads to another failure: %s\n",
                model_failure.kind);
        exit(3);
    }
    printf("\nreplay with: --program %s%s%s --replay ", model_program->name,
           options.fault != NULL ? " --fault " : "", options.fault != NULL ? options.fault : "");
    schedule_print(stdout, r->schedule, r->length);
    printf("\n");
}

static void print_line(const char *name, const struct search_result *r, const char *result)
{
    char preemptions[16] = "any";

    if (r->preemptions != SEARCH_UNBOUNDED)
        snprintf(preemptions, sizeof preemptions, "%u", r->preemptions);
    printf("%-24s %4s preemptions %9u states %10llu steps  depth %3u  %6.1f s  %s\n", name,
           preemptions, r->states, (unsigned long long)r->steps, r->depth, r->seconds, result);
    if (options.stats)
        printf("%-24s %9u parts  %10.1f MiB    ends  %4u\n", "", r->parts,
               (double)r->bytes / 1048576.0, r->ends);
    fflush(stdout);
}

/* How many preemptions to explore: what the command says, else what the program says. */
static uint32_t bound(void)
{
    uint32_t own = options.deep ? model_program->deep_preemptions : model_program->preemptions;

    if (options.limits.preemptions != SEARCH_UNBOUNDED)
        return options.limits.preemptions;
    return own == 0 ? SEARCH_UNBOUNDED : own;
}

static void full_search(struct search_result *r)
{
    const struct search_limits limits = {bound(), options.limits.states, NULL};

    search(&limits, r);
}

/* One program without faults.  True: it shows what it should. */
static bool run_program(const struct model_program *program, bool verbose)
{
    /* What it is there to show, it has to show. */
    bool is_large = options.most && program->expects == NULL && quick_is_large(program->name);
    bool quick = options.quick || is_large;
    struct search_result r;
    bool ok;

    model_program = program;
    if (quick)
        quick_search(bound(), program->expects != NULL, is_large, &r);
    else
        full_search(&r);
    if (quick && quick_is_open(&r, program->expects != NULL)) {
        print_line(program->name, &r, "passed as far as it went (quick)");
        return true;
    }
    if (r.outcome == SEARCH_TOO_LARGE) {
        print_line(program->name, &r, "BOUND EXCEEDED: too many states");
        return false;
    }
    ok = program->expects == NULL
             ? r.outcome == SEARCH_PASSED
             : r.outcome == SEARCH_FAILED && strcmp(r.failure.kind, program->expects) == 0;
    print_line(program->name, &r,
               r.outcome == SEARCH_PASSED ? (ok ? "passed" : "NOTHING FOUND")
               : ok                       ? "found, as expected"
                                          : "FAILED");
    if (r.outcome == SEARCH_FAILED && (verbose || !ok)) {
        printf("\n");
        report_failure(&r.failure);
        search_shorten(&options.limits, &r);
        print_schedule(&r);
        printf("\n");
    }
    free(r.schedule);
    return ok;
}

/* --- Faults --------------------------------------------------------------------------------- */

static void break_things(const struct model_fault *fault)
{
    model_broken_rule = fault->rule;
    model_fault_in_use = fault->number;
    if (fault->number != 0)
        calls_in_use[fault->family] = calls_copies[fault->family];
}

static void mend_things(void)
{
    model_broken_rule = FAULT_NONE;
    model_fault_in_use = 0;
    memcpy(calls_in_use, options.copies ? calls_copies : calls_shipped, sizeof calls_in_use);
}

/* True: the fault was caught, or a quick search did not come so far. */
static bool run_fault(const struct model_fault *fault, bool verbose)
{
    struct search_limits limits = options.limits;
    struct search_result r;
    char result[80];

    model_program = names_program(options.program != NULL ? options.program : fault->program);
    break_things(fault);
    limits.preemptions = bound();
    if (verbose) { /* a shortest schedule, which no walk is */
        quick_search(limits.preemptions, true, false, &r);
        if (!options.quick && quick_is_open(&r, true))
            full_search(&r);
    } else {
        quick_find(fault->name, &limits, !options.quick, &r);
    }
    if (options.quick && quick_is_open(&r, true)) {
        mend_things();
        print_line(fault->name, &r, "not caught so soon (quick)");
        return true;
    }
    snprintf(result, sizeof result, "%s%s%s",
             r.outcome == SEARCH_FAILED   ? "caught: "
             : r.outcome == SEARCH_PASSED ? "NOT CAUGHT"
                                          : "NOT CAUGHT within the bound",
             r.outcome == SEARCH_FAILED ? r.failure.kind : "", r.walks != 0 ? ", by a walk" : "");
    print_line(fault->name, &r, result);
    if (r.outcome == SEARCH_FAILED && verbose) {
        printf("\n");
        report_failure(&r.failure);
        search_shorten(&options.limits, &r);
        print_schedule(&r);
    }
    free(r.schedule);
    mend_things();
    return r.outcome == SEARCH_FAILED;
}

/* --- The command ---------------------------------------------------------------------------- */

static bool wants(const char *group)
{
    return options.group == NULL || strcmp(options.group, group) == 0;
}

static int run_all(void)
{
    unsigned bad = 0;

    for (const struct program_group *const *g = names_groups; *g != NULL; g++)
        for (unsigned i = 0; wants((*g)->name) && i < (*g)->count; i++)
            bad += !run_program(&(*g)->programs[i], false);
    for (unsigned i = 0; wants("faults") && !options.copies && i < model_fault_count; i++)
        bad += !run_fault(&model_faults[i], false);
    printf("%s\n", bad == 0 ? "all as expected" : "NOT as expected");
    return bad == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int replay(void)
{
    struct model_choice *schedule;
    unsigned length;
    bool fits;

    if (!schedule_parse(options.replay, &schedule, &length)) {
        fprintf(stderr, "fw-model: a schedule is a list like A.B.Bf.A, not %s\n", options.replay);
        return EXIT_USAGE;
    }
    if (options.fault != NULL)
        break_things(names_fault(options.fault));
    model_program = names_program(options.program);
    fits = show(schedule, length);
    if (fits && model_failure.kind != NULL)
        report_failure(&model_failure);
    free(schedule);
    return !fits ? EXIT_USAGE : model_failure.kind == NULL ? EXIT_SUCCESS : EXIT_FAILURE;
}

static uint32_t number(const char *text, struct argp_state *state)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    if (*text < '0' || *text > '9' || *end != '\0' || value >= 0x7fffffffu)
        argp_error(state, "%s is not a number that fits", text);
    return (uint32_t)value;
}

static bool *flag(int key)
{
    return key == 'l'   ? &options.list
           : key == 's' ? &options.stats
           : key == 'd' ? &options.deep
           : key == 'q' ? &options.quick
           : key == 'o' ? &options.most
           : key == 'c' ? &options.copies
                        : NULL;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case 'p':
        options.program = arg;
        return 0;
    case 'f':
        options.fault = arg;
        return 0;
    case 'g':
        if (!names_has_group(arg))
            argp_error(state, "no group %s; --list shows those that exist, and there is: faults",
                       arg);
        options.group = arg;
        return 0;
    case 'n':
        options.limits.preemptions = number(arg, state);
        return 0;
    case 'm':
        options.limits.states = number(arg, state);
        return 0;
    case 'r':
        options.replay = arg;
        return 0;
    case ARGP_KEY_END:
        if (options.replay != NULL && options.program == NULL)
            argp_error(state, "--replay needs --program");
        if (options.copies && (options.fault != NULL ||
                               (options.group != NULL && strcmp(options.group, "faults") == 0)))
            argp_error(state, "--copies is for programs: a fault has a copy in use anyway");
        return 0;
    default:
        if (flag(key) != NULL)
            *flag(key) = true;
        return flag(key) != NULL ? 0 : ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option known_options[] = {
    {"program", 'p', "NAME", 0, "Explore this program only", 0},
    {"group", 'g', "NAME", 0, "Explore only this group, or faults", 0},
    {"fault", 'f', "NAME", 0, "Break something, and show how it is caught", 0},
    {"preemptions", 'n', "N", 0, "At most N preemptions (default: the program's bound)", 0},
    {"states", 'm', "N", 0, "Give up beyond N states", 0},
    {"replay", 'r', "SCHEDULE", 0, "Run one schedule of --program, step by step", 0},
    {"deep", 'd', NULL, 0, "With more preemptions; takes minutes", 0},
    {"quick", 'q', NULL, 0, "Where there are many states: few preemptions, and walks; a minute", 0},
    {"most", 'o', NULL, 0, "Those quickly that have more than 250,000 states", 0},
    {"copies", 'c', NULL, 0, "Run the copies that faults are made in, with none in them", 0},
    {"stats", 's', NULL, 0, "Tell also parts of states, memory and ends", 0},
    {"list", 'l', NULL, 0, "List programs and faults", 0},
    {0}};

int main(int argc, char **argv)
{
    const struct argp argp = {
        .options = known_options,
        .parser = parse,
        .doc = "Tries every interleaving of small programs on furwock's locks.\v"
               "Without options: all programs, then all faults.  Exit status: 0 as expected, "
               "1 not, 2 bad usage."};

    argp_err_exit_status = EXIT_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    quick_check_names();
    mend_things();
    if (options.list) {
        names_list();
        return EXIT_SUCCESS;
    }
    if (options.replay != NULL)
        return replay();
    if (options.fault != NULL)
        return run_fault(names_fault(options.fault), true) ? EXIT_SUCCESS : EXIT_FAILURE;
    if (options.program != NULL)
        return run_program(names_program(options.program), true) ? EXIT_SUCCESS : EXIT_FAILURE;
    return run_all();
}
