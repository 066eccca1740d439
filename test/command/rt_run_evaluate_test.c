/* SPDX-License-Identifier: MIT */
/*
 * What furwock rt run makes of its logs: who was blocked, and which time was lost.  The logs are
 * made up; times are microseconds.  Copies of it with a fault each (rt_run_evaluate.cmake)
 * must fail in the scenarios that are there for it.
 */
#include <stdio.h>
#include <string.h>

#include "command/rt/run/run.h"
#include "test/support/testing.h"

enum { HIGH, LOW, MIDDLE, LESS, ELSEWHERE, TASKS, CPU = 100 }; /* CPU + n: n's log */
enum { QUEUE_LOG = 32, LOCK = 0, LIMIT_US = 60 };

typedef void evaluation(const struct run_round *round, struct run_result *result);

evaluation rt_run_evaluate_blind, rt_run_evaluate_everywhere, rt_run_evaluate_greedy,
    rt_run_evaluate_endless, rt_run_evaluate_early, rt_run_evaluate_never, rt_run_evaluate_late;

/* HIGH, MIDDLE and LESS are on CPU 0, LOW and ELSEWHERE on CPU 1; nobody is on CPU 2. */
static const struct taskset set = {
    .tasks = TASKS,
    .locks = 1,
    .task = {[HIGH] = {.name = "high", .cpu = 0, .priority = 30},
             [LOW] = {.name = "low", .cpu = 1, .priority = 10},
             [MIDDLE] = {.name = "middle", .cpu = 0, .priority = 40},
             [LESS] = {.name = "less", .cpu = 0, .priority = 5},
             [ELSEWHERE] = {.name = "else", .cpu = 1, .priority = 20}}};

struct line {
    int whose, us;
    enum run_kind kind;
};

/* LOW is in a section from 10 to 110; HIGH waits for it from 31 on, and gets it at 111. */
#define LOW_RUNS(from, to)  \
    {LOW, from, RUN_START}, \
    {                       \
        LOW, to, RUN_STOP   \
    }
#define LOW_BEGINS {LOW, 0, RUN_RELEASE}, {LOW, 0, RUN_START}
#define LOW_HAS(from, to)                                             \
    {LOW, from, RUN_ASK}, {LOW, from, RUN_GET}, {LOW, to, RUN_LEAVE}, \
    {                                                                 \
        LOW, to, RUN_LEFT                                             \
    }
#define LOW_ENDS(at)     \
    {LOW, at, RUN_STOP}, \
    {                    \
        LOW, at, RUN_END \
    }
#define HIGH_ASKS                                                        \
    {HIGH, 20, RUN_RELEASE}, {HIGH, 20, RUN_START}, {HIGH, 30, RUN_ASK}, \
    {                                                                    \
        HIGH, 30, RUN_STOP                                               \
    }
#define HIGH_QUEUES(at)     \
    {                       \
        HIGH, at, RUN_QUEUE \
    }
#define HIGH_GETS(at)                                                      \
    {HIGH, at, RUN_START}, {HIGH, at, RUN_GET}, {HIGH, at + 20, RUN_STOP}, \
    {                                                                      \
        HIGH, at + 20, RUN_END                                             \
    }
#define STALL(cpu, from, to)      \
    {CPU + cpu, from, RUN_STALL}, \
    {                             \
        CPU + cpu, to, RUN_RESUME \
    }
#define OTHER(who, from, to)                                               \
    {who, from, RUN_RELEASE}, {who, from, RUN_START}, {who, to, RUN_STOP}, \
    {                                                                      \
        who, to, RUN_END                                                   \
    }
#define REMOTE \
    LOW_BEGINS, LOW_HAS(10, 110), LOW_ENDS(140), HIGH_ASKS, HIGH_QUEUES(31), HIGH_GETS(111)

/* What becomes of HIGH's job. */
static const struct scenario {
    const char *name;
    struct line line[QUEUE_LOG];
    uint64_t blocking, lost, present;
} scenarios[] = {
    {"an owner executes elsewhere", {REMOTE}, 79, 2, 111},
    {"the same, and its own CPU stands still", {REMOTE, STALL(0, 50, 90)}, 39, 42, 111},
    {"a stall lasts until it gets the lock", {REMOTE, STALL(0, 50, 111)}, 19, 62, 111},
    {"a CPU that has no part in it stands still", {REMOTE, STALL(2, 50, 90)}, 79, 2, 111},
    {"the owner's CPU is said to stand still while the owner executes",
     {REMOTE, STALL(1, 50, 90)},
     79,
     2,
     111},
    {"the owner's CPU stands still",
     {LOW_BEGINS,
      LOW_HAS(10, 110),
      {LOW, 50, RUN_STOP},
      {LOW, 90, RUN_START},
      LOW_ENDS(140),
      HIGH_ASKS,
      HIGH_QUEUES(31),
      HIGH_GETS(111),
      STALL(1, 50, 90)},
     39,
     42,
     111},
    {"both stand still, one after the other",
     {LOW_BEGINS,
      LOW_HAS(10, 110),
      {LOW, 40, RUN_STOP},
      {LOW, 60, RUN_START},
      LOW_ENDS(140),
      HIGH_ASKS,
      HIGH_QUEUES(31),
      HIGH_GETS(111),
      STALL(1, 40, 60),
      STALL(0, 60, 80)},
     39,
     42,
     111},
    {"a less urgent task executes on its CPU beside a late look",
     {REMOTE, OTHER(LESS, 50, 90), STALL(0, 50, 90)},
     79,
     2,
     111},
    {"a less urgent task executes before it, and nobody owns the lock",
     {HIGH_ASKS, HIGH_QUEUES(31), HIGH_GETS(111), OTHER(LESS, 31, 100), STALL(0, 100, 111)},
     69,
     12,
     111},
    {"a more urgent task executes", {REMOTE, OTHER(MIDDLE, 50, 70), STALL(0, 60, 90)}, 39, 22, 111},
    {"its CPU stands still before it is in the queue, and the owner comes again",
     {LOW_BEGINS, LOW_HAS(10, 60), LOW_HAS(70, 120), LOW_HAS(130, 180), LOW_ENDS(200), HIGH_ASKS,
      HIGH_QUEUES(170), HIGH_GETS(181)},
     10,
     141,
     181},
    {"a less urgent task executes before it is in the queue",
     {LOW_BEGINS, LOW_HAS(10, 180), LOW_ENDS(200), HIGH_ASKS, OTHER(LESS, 40, 100),
      HIGH_QUEUES(170), HIGH_GETS(181)},
     70,
     81,
     181},
    {"it found the lock free, late",
     {LOW_BEGINS, LOW_HAS(10, 110), LOW_ENDS(140), HIGH_ASKS, HIGH_GETS(111)},
     0,
     81,
     111},
    {"the owner hands it on, and is preempted in that call",
     {LOW_BEGINS,
      {LOW, 10, RUN_ASK},
      {LOW, 10, RUN_GET},
      {LOW, 50, RUN_LEAVE},
      {LOW, 52, RUN_HAND},
      {LOW, 50, RUN_STOP},
      {LOW, 100, RUN_START},
      {LOW, 100, RUN_LEFT},
      LOW_ENDS(140),
      OTHER(ELSEWHERE, 55, 95),
      HIGH_ASKS,
      HIGH_QUEUES(31),
      HIGH_GETS(111)},
     19,
     62,
     111},
    {"it sleeps while its CPU stands still",
     {LOW_BEGINS,
      LOW_ENDS(140),
      {HIGH, 20, RUN_RELEASE},
      {HIGH, 20, RUN_START},
      {HIGH, 30, RUN_STOP},
      {HIGH, 30, RUN_SLEEP},
      {HIGH, 100, RUN_WAKE},
      {HIGH, 105, RUN_START},
      {HIGH, 120, RUN_STOP},
      {HIGH, 120, RUN_END},
      STALL(0, 50, 103)},
     0,
     5,
     30},
};

enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

static void evaluate_case(const struct scenario *s, evaluation *evaluate, struct run_result *result)
{
    static struct run_event event[TASKS + 3][QUEUE_LOG];
    struct run_log log[TASKS] = {{0}};
    struct run_cpu cpu[3] = {{.cpu = 0}, {.cpu = 1}, {.cpu = 2}};
    struct run_round round = {.set = &set, .log = log, .cpu = cpu, .cpus = 3};

    for (int t = 0; t < TASKS; t++)
        log[t].event = event[t];
    for (int c = 0; c < 3; c++)
        cpu[c].log.event = event[TASKS + c];
    for (const struct line *l = s->line; l->us != 0 || l->kind != 0 || l == s->line; l++) {
        struct run_log *of = l->whose < CPU ? &log[l->whose] : &cpu[l->whose - CPU].log;
        of->event[of->count++] =
            (struct run_event){.ns = 1000u * (uint64_t)l->us, .kind = l->kind, .lock = LOCK};
    }
    memset(result, 0, TASKS * sizeof *result);
    result[HIGH].limit = 1000 * LIMIT_US;
    evaluate(&round, result);
}

static bool is_right(const struct scenario *s, evaluation *evaluate, struct run_result *r)
{
    evaluate_case(s, evaluate, r);
    return r[HIGH].blocking == 1000 * s->blocking && r[HIGH].sum == r[HIGH].blocking &&
           r[HIGH].lost == 1000 * s->lost && r[HIGH].lost_sum == r[HIGH].lost &&
           r[HIGH].present == 1000 * s->present && r[HIGH].above == (s->blocking > LIMIT_US);
}

static void each_scenario(void **state)
{
    struct run_result r[TASKS];

    (void)state;
    for (int i = 0; i < SCENARIOS; i++)
        if (!is_right(&scenarios[i], rt_run_evaluate, r))
            fail_msg("%s: blocked for %llu ns, lost %llu, present %llu, above %llu",
                     scenarios[i].name, (unsigned long long)r[HIGH].blocking,
                     (unsigned long long)r[HIGH].lost, (unsigned long long)r[HIGH].present,
                     (unsigned long long)r[HIGH].above);
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

static void each_fault_is_found(void **state)
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

    (void)state;
    for (size_t i = 0; i < sizeof fault / sizeof *fault; i++) {
        int n = wrong(fault[i].evaluate);
        printf("%s: %d scenarios of %d are wrong\n", fault[i].name, n, SCENARIOS);
        if (n == 0)
            fail_msg("not found: %s", fault[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_scenario),
        cmocka_unit_test(each_fault_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
