/* SPDX-License-Identifier: MIT */
/*
 * latency: semaphores, events and barriers, alone and between threads, beside the C library's.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/adapters/sync_adapter.h"
#include "latency.h"
#include "measure/workers.h"

enum { REPETITIONS = 31, TESTS_MAX = 16, PARTIES_PER_CPU = 4 };

struct kind {
    const char *name;
    const char *baseline;
    const char *alone; /* what a turn is */
};

static const struct kind kinds[] = {
    [SEMAPHORE] = {"semaphore", "posix", "post and wait"},
    [EVENT] = {"event", "pthread", "set, wait and reset"},
    [AUTOMATIC_EVENT] = {"automatic event", "pthread-auto", "set and wait"},
    [BARRIER] = {"barrier", "pthread", "wait"},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = state->input;
    return 0;
}

static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};

static const struct argp command_line = {
    .parser = parse,
    .args_doc = "[LOCK...]",
    .children = children,
    .doc = "Measures semaphores, events and barriers: alone; handed to and fro between two "
           "threads; rounds of 2 parties, of one and of four for each CPU.  Compares each LOCK "
           "(all, where none is named) with the C library's, in turns.",
};

/* Whether this test has that lock: of that kind, and asked for. */
static bool takes_part(const struct test *t, const adapter_head *lock,
                       const struct bench_options *o)
{
    bool is_event = t->object == EVENT || t->object == AUTOMATIC_EVENT;
    const struct event_adapter *l = (const void *)lock;

    if (is_event && l->automatic != (t->object == AUTOMATIC_EVENT))
        return false;
    return bench_wanted(o, lock->name, kinds[t->object].baseline);
}

static void name_point(struct bench_point *p, const struct test *t)
{
    const struct kind *k = &kinds[t->object];

    if (t->how == ALONE)
        snprintf(p->title, sizeof p->title, "%s, alone: %s", k->name, k->alone);
    else if (t->how == HAND_OFF)
        snprintf(p->title, sizeof p->title, "%s, handed to and fro by two threads", k->name);
    else
        snprintf(p->title, sizeof p->title, "%s, a round of %u parties", k->name, t->parties);
}

static const adapter_head *const *list_of(enum object object)
{
    const void *list = object == SEMAPHORE ? (const void *)sem_adapter_list
                       : object == BARRIER ? (const void *)barrier_adapter_list
                                           : (const void *)event_adapter_list;

    return list;
}

static void add_point(struct bench *b, const struct bench_options *o, const struct test *t)
{
    static const char *const hows[] = {"alone", "hand-off", "round"};
    size_t wanted = 0;

    for (const adapter_head *const *a = list_of(t->object); *a != NULL; a++)
        wanted += takes_part(t, *a, o) && strcmp((*a)->name, kinds[t->object].baseline) != 0;
    if (wanted == 0)
        return;
    struct bench_point *p =
        bench_add_point(b, 1,
                        json_pack("{s:s s:s s:i}", "object", kinds[t->object].name, "test",
                                  hows[t->how], "parties", (int)t->parties));
    p->detail = t;
    name_point(p, t);
    for (const adapter_head *const *a = list_of(t->object); *a != NULL; a++)
        if (takes_part(t, *a, o))
            bench_add_entry(p, *a, kinds[t->object].baseline);
}

static size_t plan(struct test *tests)
{
    unsigned cpus = cpus_usable();
    const struct test fixed[] = {
        {SEMAPHORE, ALONE, 1}, {EVENT, ALONE, 1},        {AUTOMATIC_EVENT, ALONE, 1},
        {BARRIER, ALONE, 1},   {SEMAPHORE, HAND_OFF, 2}, {AUTOMATIC_EVENT, HAND_OFF, 2},
        {BARRIER, ROUND, 2},
    };
    size_t n = sizeof fixed / sizeof *fixed;

    memcpy(tests, fixed, sizeof fixed);
    if (cpus != 2 && cpus != 1)
        tests[n++] = (struct test){BARRIER, ROUND, cpus};
    if (cpus * PARTIES_PER_CPU != 2)
        tests[n++] = (struct test){BARRIER, ROUND, cpus * PARTIES_PER_CPU};
    return n;
}

static void nothing(unsigned index, void *arg)
{
    (void)index;
    (void)arg;
}

int main(int argc, char **argv)
{
    static struct bench_options options;
    static struct test tests[TESTS_MAX];
    static struct bench b = {
        .name = "latency", .unit = "turn", .repetitions = REPETITIONS, .run = test_run};

    bench_begin("latency");
    argp_parse(&command_line, argc, argv, 0, NULL, &options);
    bench_offer(&b.catalogue, sem_adapter_list, sem_adapter_missing);
    bench_offer(&b.catalogue, event_adapter_list, event_adapter_missing);
    bench_offer(&b.catalogue, barrier_adapter_list, barrier_adapter_missing);
    bench_check_names(&b.catalogue, &options);
    for (size_t i = 0, n = plan(tests); i < n; i++)
        add_point(&b, &options, &tests[i]);
    if (b.n == 0)
        bench_die("nothing to compare: the C library's alone were named");

    /* A second thread that sleeps: the C library is cheaper while a process has one only. */
    struct worker_group *second = workers_start(1, WORKER_THREADS, nothing, NULL);
    if (second == NULL)
        bench_die("no second thread");
    int status = bench_whole(&b, &options);
    workers_go(second);
    workers_join(second);
    return status;
}
