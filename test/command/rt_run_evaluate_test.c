/* SPDX-License-Identifier: MIT */
/*
 * What furwock rt run makes of its logs: who was blocked, and which time was lost.  The logs are
 * made up; times are microseconds.  Copies of it with a fault each (rt_run_evaluate.cmake)
 * must fail in the scenarios that are there for it.  And what a job is made of.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/rt/run/plan.h"
#include "command/rt/run/run.h"
#include "test/support/unit.h"

enum { HIGH, OWNER, MIDDLE, LESS, ELSEWHERE, TASKS, CPUS = 3 };
enum { EVENTS = 32, LIMIT_US = 25, US = 1000 };

/* The letters of tasks and CPUs, and of what happens to them, in the order of enum run_kind. */
static const char letters[] = "HOMLE012", kinds[] = "rspaqgvhfzwdkexc";

typedef void evaluation(const struct run_round *round, struct run_result *result);

evaluation rt_run_evaluate_blind, rt_run_evaluate_everywhere, rt_run_evaluate_greedy,
    rt_run_evaluate_endless, rt_run_evaluate_early, rt_run_evaluate_never, rt_run_evaluate_late;

/* H, M and L are on CPU 0, O and E on CPU 1; nobody is on CPU 2. */
static const struct taskset set = {
    .tasks = TASKS,
    .locks = 1,
    .task = {[HIGH] = {.name = "high", .cpu = 0, .priority = 30},
             [OWNER] = {.name = "owner", .cpu = 1, .priority = 10},
             [MIDDLE] = {.name = "middle", .cpu = 0, .priority = 40},
             [LESS] = {.name = "less", .cpu = 0, .priority = 5},
             [ELSEWHERE] = {.name = "else", .cpu = 1, .priority = 20}}};

/* O is in a section from 10 to 110; H asks at 30, waits for it from 31 on, and gets it at 111. */
#define O_HAS "O 0rs 10ag 110vf 140pe; "
#define H_WAITS "H 20rs 30ap 31q 111sg 131pe; "

/*
 * Each task's log, times and letters: r released, s has its CPU, p no longer; a asks for the lock,
 * q queues, g gets it, v leaves, h hands it on, f has left; z sleeps, w is due to wake, u and not
 * woken yet, d the kernel has put it to sleep, k is woken; e ends.  Of a CPU: x stands still, c no
 * longer.
 */
static const struct scenario {
    const char *name, *logs;
    struct {
        uint64_t blocking, lost, present; /* of H's job */
        uint64_t of_less, elsewhere;      /* lost of L's and E's */
        uint64_t late, held;              /* of H's */
    } found;
} scenarios[] = {
    {"an owner executes elsewhere", O_HAS H_WAITS, {79, 2, 111, 0, 0, 0, 0}},
    {"the same, and its own CPU stands still",
     O_HAS H_WAITS "0 50x 90c",
     {39, 42, 111, 0, 0, 0, 0}},
    {"a stall lasts until it gets the lock", O_HAS H_WAITS "0 50x 111c", {19, 62, 111, 0, 0, 0, 0}},
    {"a CPU that has no part in it stands still",
     O_HAS H_WAITS "2 50x 90c",
     {79, 2, 111, 0, 0, 0, 0}},
    {"the owner's CPU is said to stand still while the owner executes",
     O_HAS H_WAITS "1 50x 90c",
     {79, 2, 111, 0, 0, 0, 0}},
    {"the owner's CPU stands still",
     "O 0rs 10ag 110vf 50p 90s 140pe; " H_WAITS "1 50x 90c",
     {39, 42, 111, 0, 0, 0, 0}},
    {"both stand still, one after the other",
     "O 0rs 10ag 110vf 40p 60s 140pe; " H_WAITS "1 40x 60c; 0 60x 80c",
     {39, 42, 111, 0, 0, 0, 0}},
    {"a less urgent task executes on its CPU beside a late look",
     O_HAS H_WAITS "L 50rs 90pe; 0 50x 90c",
     {79, 2, 111, 0, 0, 0, 0}},
    {"a less urgent task executes before it, and nobody owns the lock",
     H_WAITS "L 31rs 100pe; 0 100x 111c",
     {69, 12, 111, 0, 0, 0, 0}},
    {"a more urgent task executes",
     O_HAS H_WAITS "M 50rs 70pe; 0 60x 90c",
     {39, 22, 111, 0, 0, 0, 0}},
    {"its CPU stands still before it is in the queue, and the owner comes again",
     "O 0rs 10ag 60vf 70ag 120vf 130ag 180vf 200pe; H 20rs 30ap 170q 181sg 201pe",
     {10, 141, 181, 0, 0, 0, 0}},
    {"a less urgent task executes before it is in the queue",
     "O 0rs 10ag 180vf 200pe; H 20rs 30ap 170q 181sg 201pe; L 40rs 100pe",
     {70, 81, 181, 0, 0, 0, 0}},
    {"it found the lock free, late", O_HAS "H 20rs 30ap 111sg 131pe", {0, 81, 111, 0, 0, 0, 0}},
    {"the owner hands it on, and is preempted in that call",
     "O 0rs 10ag 50v 52h 50p 100sf 140pe; E 55rs 95pe; " H_WAITS,
     {19, 62, 111, 0, 0, 0, 0}},
    {"it sleeps while its CPU stands still",
     "O 0rs 140pe; H 20rs 30pz 100w 105s 120pe; 0 50x 103c",
     {0, 5, 30, 0, 0, 0, 0}},
    {"L, on its CPU, owns the lock: it executes meanwhile except for a moment",
     "L 0rs 10ag 20p 28s 48vp 61sf 70pe; H 20rs 25ap 50sg 55vf 60pe",
     {20, 5, 40, 6, 0, 0, 0}},
    {"the owner is elsewhere; L executes meanwhile, and when the lock is H's already",
     "E 0rs 5ag 20p 30s 38v 40f 44pe; H 8rs 10aqp 45gs 50pe; L 8r 10s 45p 50s 60pe",
     {25, 10, 42, 0, 10, 0, 0}},
    {"the owner's CPU stands still after its call: it gets the lock from when it has asked",
     "E 0rs 10ap 40sg 50vf 50pe; L 10rs 12p 15s 50p 55s 60pe; H 12rs 15aqp 50sg 55vf 55pe",
     {10, 25, 43, 0, 30, 0, 0}},
    {"what L executes while H sleeps of its own accord, or has no job, is no blocking",
     "L 0rs 10p 15s 62p 70s 90pe; H 10rs 15pz 30w 62s 70pe",
     {32, 0, 45, 0, 0, 0, 0}},
    {"tier B: woken late from its release and its sleep, and put to sleep: L executes meanwhile",
     "L 0rs 33p 40s 64p 75s 85p 90s 95pe; H 10ru 30k 34s 40pz 50wu 60k 65s 75pd 85ks 90pe",
     {7, 42, 70, 2, 0, 30, 10}},
    {"a job above the limit", "L 0rs 40p 50s 60pe; H 10r 42s 50pe", {30, 2, 40, 2, 0, 0, 0}},
};

enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

/* Into the logs of tasks, and of CPUs behind them. */
static void read_logs(const char *text, struct run_log *log[])
{
    struct run_log *of = NULL;
    uint64_t us = 0;

    for (char *rest; *text != '\0'; text = rest) {
        const char *kind = strchr(kinds, *text);

        rest = (char *)text + 1;
        if (of != NULL && *text >= '0' && *text <= '9') {
            us = strtoull(text, &rest, 10);
        } else if (*text == ';') {
            of = NULL;
        } else if (*text == 'u') {
            of->event[of->count - 1].lock = RUN_UNWOKEN;
        } else if (*text != ' ' && of == NULL) {
            of = log[strchr(letters, *text) - letters];
        } else if (*text != ' ') {
            of->event[of->count++] =
                (struct run_event){.ns = US * us, .kind = (uint32_t)(kind - kinds)};
        }
    }
}

static void evaluate_case(const struct scenario *s, evaluation *evaluate, struct run_result *result)
{
    static struct run_event event[TASKS + CPUS][EVENTS];
    struct run_log log[TASKS] = {{0}}, *all[TASKS + CPUS];
    struct run_cpu cpu[CPUS] = {{.cpu = 0}, {.cpu = 1}, {.cpu = 2}};
    struct run_round round = {.set = &set, .log = log, .cpu = cpu, .cpus = CPUS};

    for (int i = 0; i < TASKS + CPUS; i++) {
        all[i] = i < TASKS ? &log[i] : &cpu[i - TASKS].log;
        all[i]->event = event[i];
    }
    memset(event, 0, sizeof event);
    read_logs(s->logs, all);
    memset(result, 0, TASKS * sizeof *result);
    for (int t = 0; t < TASKS; t++) {
        log[t].jobs = 1;
        result[t].limit = US * LIMIT_US;
    }
    evaluate(&round, result);
}

static bool is_right(const struct scenario *s, evaluation *evaluate, struct run_result *r)
{
    const struct run_result *h = &r[HIGH];

    evaluate_case(s, evaluate, r);
    if (s->found.blocking > LIMIT_US &&
        (h->kept[0].blocking != h->blocking || h->kept[0].lost != h->lost ||
         h->kept[0].end <= h->kept[0].release))
        return false;
    return h->jobs == 1 && h->blocking == US * s->found.blocking && h->sum == h->blocking &&
           h->lost == US * s->found.lost && h->lost_sum == h->lost &&
           h->present == US * s->found.present && h->above == (s->found.blocking > LIMIT_US) &&
           h->late == US * s->found.late && h->held == US * s->found.held &&
           r[LESS].blocking == 0 && r[ELSEWHERE].blocking == 0 &&
           r[LESS].lost == US * s->found.of_less && r[ELSEWHERE].lost == US * s->found.elsewhere;
}

TEST(each_scenario)
{
    struct run_result r[TASKS];

    for (int i = 0; i < SCENARIOS; i++)
        if (!is_right(&scenarios[i], rt_run_evaluate, r))
            fail_msg("%s: blocked for %llu ns, lost %llu, present %llu, above %llu",
                     scenarios[i].name, (unsigned long long)r[HIGH].blocking,
                     (unsigned long long)r[HIGH].lost, (unsigned long long)r[HIGH].present,
                     (unsigned long long)r[HIGH].above);
}

TEST(a_job_above_the_limit_is_kept)
{
    struct run_result r[TASKS];

    evaluate_case(&scenarios[SCENARIOS - 1], rt_run_evaluate, r);
    assert_int_equal(r[HIGH].kept[0].release, 10 * US);
    assert_int_equal(r[HIGH].kept[0].end, 50 * US);
}

/* How many scenarios the copy gets wrong. */
static int wrong(evaluation *evaluate)
{
    struct run_result r[TASKS];
    int n = 0;

    for (int i = 0; i < SCENARIOS; i++)
        n += !is_right(&scenarios[i], evaluate, r);
    return n;
}

TEST(each_fault_is_found)
{
    static const struct {
        const char *name;
        evaluation *evaluate;
    } fault[] = {{"stalls are blocking", rt_run_evaluate_blind},
                 {"a stall of one CPU is a stall of all", rt_run_evaluate_everywhere},
                 {"a stall counts though a task executes", rt_run_evaluate_greedy},
                 {"a stall does not end", rt_run_evaluate_endless},
                 {"a job waits from its call on", rt_run_evaluate_early},
                 {"nobody waits for an owner", rt_run_evaluate_never},
                 {"a lock that was handed on is still owned", rt_run_evaluate_late}};

    for (size_t i = 0; i < sizeof fault / sizeof *fault; i++) {
        int n = wrong(fault[i].evaluate);
        printf("%s: %d scenarios of %d are wrong\n", fault[i].name, n, SCENARIOS);
        if (n == 0)
            fail_msg("not found: %s", fault[i].name);
    }
}

/* A job's parts add up, in the right order. */
TEST(the_parts_of_a_job_add_up)
{
    static const struct taskset_task task = {.execution = 100,
                                             .suspension = 7,
                                             .suspensions = 3,
                                             .sections = 3,
                                             .section = {{.lock = 0, .outer = -1, .length = 30},
                                                         {.lock = 1, .outer = 0, .length = 11},
                                                         {.lock = 2, .outer = -1, .length = 5}}};
    static const int locks[] = {0, 1, -2, -1, 2, -3}; /* n: lock n; -n - 1: unlock n */
    struct run_plan p = rt_run_plan(&task);
    uint64_t executes = 0, sleeps = 0;
    int order = 0, held = 0, pieces = 0;

    for (size_t i = 0; i < p.count; i++) {
        const struct run_step *s = &p.step[i];
        if (s->what == RUN_DO_EXECUTE) {
            executes += s->ns;
        } else if (s->what == RUN_DO_SLEEP) {
            assert_int_equal(held, 0);
            sleeps += s->ns;
            pieces++;
        } else {
            assert_true(order < 6);
            assert_int_equal(s->what == RUN_DO_LOCK ? s->lock : -s->lock - 1, locks[order]);
            held += s->what == RUN_DO_LOCK ? 1 : -1;
            order++;
        }
    }
    assert_int_equal(executes, 100);
    assert_int_equal(sleeps, 7);
    assert_int_equal(pieces, 3);
    assert_int_equal(order, 6);
    free(p.step);
}

UNIT_MAIN(NULL, NULL)
