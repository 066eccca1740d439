/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <argp.h>
#include <errno.h>
#include <furwock/rt.h>
#include <inttypes.h>
#include <jansson.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "command/command.h"
#include "command/print/print.h"
#include "command/rt/analysis/analysis.h"
#include "command/rt/rt.h"
#include "command/rt/set.h"
#include "noise.h"
#include "stall.h"
#include "sys/probe.h"
#include "why.h"

struct options {
    struct rt_set_options set;
    uint64_t jobs;
    double most_noise; /* percent */
    uint64_t stall;    /* ns */
};

enum { NOT_VALID = 3 }; /* exit status */

/* What is known after the run. */
struct outcome {
    struct run_result task[TASKSET_TASKS];
    struct run_noise noise;
    struct run_notes notes;
    bool is_valid;
    int tier;
};

/* Logs of as many jobs are kept at a time; then they are evaluated, and the tasks begin anew. */
static const uint64_t most_jobs_of_round = 5000;
static const uint64_t most_jobs = 10 * 1000 * 1000;
/* The kernel keeps 5 % of each CPU from SCHED_FIFO. */
static const double most_busy = 0.9;

static uint64_t parse_jobs(const char *text)
{
    char *end;
    unsigned long long jobs = strtoull(text, &end, 10);

    if (text[0] < '0' || text[0] > '9' || *end != 0 || jobs == 0 || jobs > most_jobs)
        command_die(COMMAND_USAGE, "--jobs takes a number from 1 to %llu, not \"%s\"",
                    (unsigned long long)most_jobs, text);
    return jobs;
}

static double parse_noise(const char *text)
{
    char *end;
    double percent = strtod(text, &end);

    if (text[0] < '0' || text[0] > '9' || *end != 0 || !(percent <= 100))
        command_die(COMMAND_USAGE, "--max-noise takes percents, 0 to 100, not \"%s\"", text);
    return percent;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case 'n':
        o->jobs = parse_jobs(arg);
        return 0;
    case 'm':
        o->most_noise = parse_noise(arg);
        return 0;
    case 'l':
        o->stall = rt_set_ns(arg, "--stall");
        return 0;
    default:
        return rt_set_parse(key, arg, &o->set);
    }
}

static const struct argp_option options[] = {
    {"protocol", 'p', "NAME", 0, "of all locks (instead of the file's)", 0},
    {"tier", 't', "A|B", 0, "SCHED_FIFO, or the scheduler of furwock rt start (what there is)", 0},
    {"jobs", 'n', "N", 0, "of all tasks together (1000)", 0},
    {"section-cost", 's', "US", 0, "microseconds that each section may take longer (5)", 0},
    {"wake-cost", 'w', "US", 0,
     "microseconds from a release or wake-up to its dispatch that are allowed (20)", 0},
    {"max-noise", 'm', "PERCENT", 0,
     "the run is valid if its CPUs were stalled for at most that share of the time (5)", 0},
    {"stall", 'l', "US", 0,
     "a CPU is stalled if it dispatches the most urgent thread that many microseconds late (50)",
     0},
    COMMAND_JSON_OPTION,
    {0},
};

static const struct argp command_line = {
    .options = options,
    .parser = parse,
    .args_doc = "TASKSET",
    .doc =
        "Run a task set, and show measured blocking beside its bound.\v"
        "TASKSET is a file as for furwock rt analyze.  There is a thread for each task, on its "
        "CPU and with its priority; its jobs execute and hold locks for as long as the file "
        "says, and the first releases of the tasks are at arbitrary times.  Shown are, in "
        "microseconds, how long jobs were blocked on average and at most, the bound by itself, "
        "and the limit: the bound if each section takes --section-cost longer, and each release, "
        "each end of a sleep and each wait for a lock --wake-cost.  \"lost\" is the longest time "
        "for which a job stood still while none of the tasks that it had to wait for executed: "
        "the kernel's work, other threads, a hypervisor.  It is not part of what is compared; "
        "nor is the time in which a job's own CPU is stalled.  A thread on each CPU, above all "
        "tasks, detects that: it is dispatched later than --stall.  In an emulator, where "
        "dispatching takes longer, that has to be more than its usual delay.\n\n"
        "The exit status is 1 if a job was blocked for longer than the limit, or the set could "
        "not be run; it is 3 if no job was, but the run is not valid: its CPUs were stalled, or "
        "a hypervisor has stolen them, for a larger share of the time than --max-noise.  Missed "
        "deadlines are shown; they do not affect the exit status.",
};

/* A set that would take a CPU for itself does not get one. */
static void check_load(const struct taskset *set)
{
    double busy[TASKSET_CPUS] = {0};

    for (int i = 0; i < set->tasks; i++) {
        const struct taskset_task *t = &set->task[i];
        busy[t->cpu] += (double)t->execution / (double)t->period;
        if (busy[t->cpu] > most_busy)
            command_die(COMMAND_FAILED, "CPU %d would be busy for more than %.0f %% of the time",
                        t->cpu, most_busy * 100);
    }
}

/* Jobs execute by looking at the clock: one look must not take as long as a gap between two. */
static void check_clock(void)
{
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < 100; i++) {
        struct timespec from, to;
        uint64_t took;
        clock_gettime(CLOCK_MONOTONIC, &from);
        clock_gettime(CLOCK_MONOTONIC, &to);
        took = (uint64_t)(to.tv_sec - from.tv_sec) * 1000000000u + (uint64_t)to.tv_nsec -
               (uint64_t)from.tv_nsec;
        if (took < least)
            least = took;
    }
    if (least > RUN_GAP_NS / 4)
        command_die(COMMAND_FAILED,
                    "this machine's clock takes %llu ns to read: too slow to see"
                    " who executes",
                    (unsigned long long)least);
}

static void too_long(int signal_number)
{
    static const char line[] = "furwock rt run: the tasks have come to a stop\n";
    ssize_t written = write(STDERR_FILENO, line, sizeof line - 1);

    (void)signal_number;
    (void)written;
    _exit(COMMAND_FAILED);
}

/* Ends the program if the jobs take three times as long as they should, and some seconds. */
static void watch(const struct taskset *set, uint64_t jobs)
{
    double rate = 0;

    for (int i = 0; i < set->tasks; i++)
        rate += 1e9 / (double)set->task[i].period;
    signal(SIGALRM, too_long);
    alarm(20 + (unsigned)(3 * (double)jobs / rate));
}

/* A task, with what was measured of it. */
struct row {
    const char *name;
    uint64_t jobs, missed;
    uint64_t response, average, blocked, bound, limit, lost, late, held; /* ns */
    uint64_t above;                                                      /* jobs */
    const struct run_result *result;
    const struct taskset_task *task;
};

static void end_row(const struct printer *p, const void *record, const void *notes)
{
    const struct row *row = record;

    if (p->json != NULL)
        print_member(p, "jobs_above", rt_run_why_json(notes, row->task, row->result));
    if (row->above != 0)
        print_words(p, "  above it: %" PRIu64, row->above);
    print_words(p, "\n");
}

#define TIME .width = 9, .digits = 1

static const struct print_field fields[] = {
    {PRINT_FIELD("name", "task", PRINT_TEXT, row, name), .width = -15, .before = "  ",
     .format = print_visible},
    {PRINT_FIELD("jobs", "jobs", PRINT_U64, row, jobs), .width = 8},
    {PRINT_FIELD("missed", "missed", PRINT_U64, row, missed), .width = 6},
    {PRINT_FIELD("response_us", "response", PRINT_US, row, response), TIME, .before = "  "},
    {PRINT_FIELD("average_us", "average", PRINT_US, row, average), TIME, .before = "  "},
    {PRINT_FIELD("blocked_us", "blocked", PRINT_US, row, blocked), TIME},
    {PRINT_FIELD("bound_us", "bound", PRINT_US, row, bound), TIME},
    {PRINT_FIELD("limit_us", "limit", PRINT_US, row, limit), TIME},
    {PRINT_FIELD("lost_us", "lost", PRINT_US, row, lost), TIME, .before = "  "},
    {PRINT_FIELD("above", NULL, PRINT_U64, row, above)},
    {PRINT_FIELD("late_us", NULL, PRINT_US, row, late)},
    {PRINT_FIELD("held_us", NULL, PRINT_US, row, held)},
};
static const struct print_record task_record = PRINT_RECORD(fields, end_row);

static void print_tasks(const struct printer *p, const struct taskset *set,
                        const struct analysis *a, const struct outcome *outcome)
{
    static struct row rows[TASKSET_TASKS];

    for (int i = 0; i < set->tasks; i++) {
        const struct run_result *r = &outcome->task[i];
        rows[i] = (struct row){.name = set->task[i].name,
                               .jobs = r->jobs,
                               .missed = r->misses,
                               .response = r->response,
                               .average = r->jobs == 0 ? 0 : r->sum / r->jobs,
                               .blocked = r->blocking,
                               .bound = a->task[i].blocking,
                               .limit = r->limit,
                               .lost = r->lost,
                               .late = r->late,
                               .held = r->held,
                               .above = r->above,
                               .result = r,
                               .task = &set->task[i]};
    }
    print_list(p, "tasks", &task_record, rows, (size_t)set->tasks, sizeof *rows, &outcome->notes);
}

static void print(const struct options *o, const struct taskset *set, const struct analysis *a,
                  const struct outcome *outcome)
{
    struct printer p = print_begin(o->set.as_json, "furwock-rt-run-1");
    const char *protocol = fw_rt_protocol_name((fw_rt_protocol)o->set.protocol);
    const char *tier = outcome->tier == FW_RT_TIER_A ? "A" : "B";

    print_words(&p, "%s: %s, tier %s; times in microseconds\n", rt_set_visible(o->set.path),
                protocol, tier);
    print_member(&p, "protocol", json_string(protocol));
    print_member(&p, "tier", json_string(tier));
    print_member(&p, "section_cost_us", rt_set_us(o->set.costs.section));
    print_member(&p, "wake_cost_us", rt_set_us(o->set.costs.wake));
    print_member(&p, "valid", json_boolean(outcome->is_valid));
    print_tasks(&p, set, a, outcome);
    if (p.json == NULL)
        rt_run_why_print(&outcome->notes, set, outcome->task);
    rt_run_noise_print(&p, &outcome->noise);
    print_end(&p);
}

static void find_limits(const struct options *o, const struct taskset *set, struct analysis *a,
                        struct run_result *result)
{
    static struct analysis costly;

    analysis_make(a, set, o->set.protocol, (struct analysis_costs){0});
    if (a->unfit[0] != 0)
        command_die(COMMAND_FAILED, "%s: %s is not for this set: %s", o->set.path,
                    fw_rt_protocol_name((fw_rt_protocol)o->set.protocol), a->unfit);
    analysis_make(&costly, set, o->set.protocol, o->set.costs);
    for (int i = 0; i < set->tasks; i++)
        result[i].limit = costly.task[i].blocking;
}

static bool may_lock_memory(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY)
        return true;
    return fw_probe_capability_(CAP_IPC_LOCK);
}

/*
 * Where there is a limit on it, page faults have to be taken as they come: they are "lost", or
 * blocking, where the kernel lets the task wait for a lock of its own that a less urgent one has.
 *
 * Locked or not, the kernel replaces small pages by huge ones (khugepaged, every 10 s), and whoever
 * touches one of those sleeps until 2 MB have been copied, while less urgent tasks execute.
 */
static void lock_memory(void)
{
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    if (may_lock_memory())
        mlockall(MCL_CURRENT | MCL_FUTURE);
}

static void run_rounds(const struct options *o, const struct taskset *set, struct outcome *outcome)
{
    struct run_round round = {
        .set = set, .protocol = o->set.protocol, .tier = o->set.tier, .stall = o->stall};

    outcome->noise.most = o->most_noise;
    outcome->noise.stall = o->stall;
    lock_memory();
    rt_run_noise_begin(&outcome->noise, set);
    for (uint64_t left = o->jobs; left > 0; left -= round.jobs) {
        round.jobs = left < most_jobs_of_round ? left : most_jobs_of_round;
        watch(set, round.jobs);
        if (!rt_run_round(&round))
            command_die(COMMAND_FAILED, "%s", round.why);
        alarm(0);
        rt_run_evaluate(&round, outcome->task);
        rt_run_noise_add(&outcome->noise, &round);
        rt_run_forget(&round);
        rt_run_notes_read(&outcome->notes);
    }
    rt_run_noise_end(&outcome->noise, set, outcome->task);
    outcome->tier = round.tier;
    outcome->is_valid = rt_run_noise_is_valid(&outcome->noise);
}

static int run(int argc, char **argv)
{
    static struct outcome outcome;
    struct options o = {.jobs = 1000,
                        .most_noise = 5,
                        .stall = RUN_STALL_NS,
                        .set.costs = {.section = 5000, .wake = 20000}};
    const struct taskset *set;
    struct analysis a;
    uint64_t above = 0;

    argp_parse(&command_line, argc, argv, 0, NULL, &o);
    set = rt_set_read(&o.set);
    if (o.set.protocol == 0)
        command_die(COMMAND_USAGE, "%s names no protocol: give one by --protocol", o.set.path);
    find_limits(&o, set, &a, outcome.task);
    check_load(set);
    check_clock();
    run_rounds(&o, set, &outcome);
    print(&o, set, &a, &outcome);
    for (int i = 0; i < set->tasks; i++)
        above += outcome.task[i].above;
    rt_run_notes_free(&outcome.notes);
    if (above != 0)
        return COMMAND_FAILED;
    return outcome.is_valid ? EXIT_SUCCESS : NOT_VALID;
}

const struct command rt_verb_run = {
    .name = "run",
    .about = "run a task set, and show measured blocking beside its bound",
    .run = run,
};
