/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pages.h"
#include "report.h"
#include "search.h"
#include "step.h"
#include "store.h"
#include "thread.h"

#define WHIM 0x80000000u

/* The edges of the state graph, in the order in which they were found; for the final check. */
static uint32_t *edges;
static uint64_t edge_count, edge_capacity;
static uint64_t *edge_start; /* by state; one more than there are states */
static uint32_t start_capacity;

static void begin_edges(uint32_t state)
{
    if (state + 2 > start_capacity) {
        start_capacity = start_capacity == 0 ? 4096 : start_capacity * 2;
        edge_start = pages_need(realloc(edge_start, start_capacity * sizeof *edge_start));
    }
    edge_start[state] = edge_start[state + 1] = edge_count;
}

static void add_edge(uint32_t state, uint32_t to, bool whim)
{
    if (edge_count == edge_capacity) {
        edge_capacity = edge_capacity == 0 ? 16384 : edge_capacity * 2;
        edges = pages_need(realloc(edges, edge_capacity * sizeof *edges));
    }
    edges[edge_count++] = to | (whim ? WHIM : 0);
    edge_start[state + 1] = edge_count;
}

static void copy_schedule(struct search_result *r, uint32_t state, const struct model_choice *last)
{
    unsigned n = 0;

    for (uint32_t s = state; s != 0; s = store_states[s].parent)
        n++;
    r->length = n + (last != NULL);
    r->schedule = pages_need(malloc((r->length + 1) * sizeof *r->schedule));
    if (last != NULL)
        r->schedule[n] = *last;
    for (uint32_t s = state; s != 0; s = store_states[s].parent)
        r->schedule[--n] = store_states[s].choice;
}

static void fail(struct search_result *r, uint32_t state, const struct model_choice *last)
{
    r->outcome = SEARCH_FAILED;
    r->failure = model_failure;
    copy_schedule(r, state, last);
}

/* Has the search come to what it looks for?  Forgets another failure, and what led to it. */
static bool has_failed(const struct search_limits *limits)
{
    const struct model_failure *only = limits->only;

    if (model_failure.kind == NULL)
        return false;
    if (only == NULL || (strcmp(model_failure.kind, only->kind) == 0 &&
                         strcmp(model_failure.text, only->text) == 0))
        return true;
    memset(&model_failure, 0, sizeof model_failure);
    store_forget();
    return false;
}

/*
 * Steps that were made, and are not in the store yet: out of one state after the other, since the
 * store has the longer time to bring what it has to look at.
 */
#define MADE_WANTED 64u
static struct {
    struct store_note note;
    uint32_t from;
    struct model_choice choice;
    bool is_whim;
} made[MADE_WANTED + MODEL_MAX_CHOICES];
static unsigned made_count;
static uint32_t begun; /* states below have their edges, except those in made[] */

static void put_made(uint32_t upto)
{
    bool is_new;

    for (unsigned i = 0; i < made_count; i++)
        store_fetch(&made[i].note);
    for (unsigned i = 0; i < made_count; i++) {
        while (begun <= made[i].from)
            begin_edges(begun++);
        add_edge(made[i].from, store_put(&made[i].note, made[i].from, made[i].choice, &is_new),
                 made[i].is_whim);
    }
    while (begun <= upto)
        begin_edges(begun++);
    made_count = 0;
}

/* All steps out of one state.  False: a failure was found. */
static bool expand(const struct search_limits *limits, struct search_result *r, uint32_t state)
{
    struct model_choice list[MODEL_MAX_CHOICES];
    unsigned n;

    store_load(state);
    n = perform_list(list);
    r->ends += step_check_state(list, n);
    if (model_failure.kind != NULL) {
        if (!has_failed(limits))
            return true; /* nothing after another failure */
        put_made(state);
        fail(r, state, NULL);
        return false;
    }
    for (unsigned i = 0; i < n; i++) {
        store_load(state);
        made[made_count].from = state;
        made[made_count].choice = list[i];
        made[made_count].is_whim = perform_is_whim(list[i]);
        if (!step(list[i], list, n, limits->preemptions))
            continue;
        r->steps++;
        if (model_failure.kind != NULL) {
            if (!has_failed(limits))
                continue;
            put_made(state);
            fail(r, state, &list[i]);
            return false;
        }
        store_note(&made[made_count++].note, list[i]);
    }
    return true;
}

/*
 * The engine's own check.  Anything that a thread remembers outside the state would make a state
 * that was stored and restored differ from the same schedule run in one go.  Tries it for some
 * states.
 */
#define SAMPLES 200u

static void check_samples(const struct search_limits *limits)
{
    uint32_t stride = store_count / SAMPLES + 1;

    for (uint32_t i = 0; i < store_count; i += stride) {
        struct search_result path = {0};
        struct model_choice list[MODEL_MAX_CHOICES];
        struct store_note note;
        bool is_new;

        copy_schedule(&path, i, NULL);
        perform_start();
        for (unsigned k = 0; k < path.length; k++)
            step(path.schedule[k], list, perform_list(list), limits->preemptions);
        store_note(&note, (struct model_choice){0, 0});
        if (store_put(&note, 0, (struct model_choice){0, 0}, &is_new) != i) {
            fputs("fw-model: a schedule run in one go ends in another state: hidden state\n",
                  stderr);
            exit(3);
        }
        free(path.schedule);
    }
}

/*
 * Which states can reach an end without a whim?  Backwards over all states until nothing changes;
 * states are numbered by distance from the start, so few rounds are needed.
 */
static uint32_t find_stuck(void)
{
    uint8_t *ends = pages_need(calloc(store_count, 1));
    bool changed = true;
    uint32_t stuck = STORE_NONE;

    while (changed) {
        changed = false;
        for (uint32_t i = store_count; i-- > 0;) {
            bool ok = edge_start[i] == edge_start[i + 1];
            for (uint64_t e = edge_start[i]; e < edge_start[i + 1] && !ok; e++)
                ok = (edges[e] & WHIM) == 0 && ends[edges[e]] != 0;
            if (ok && ends[i] == 0)
                changed = true;
            ends[i] = ends[i] != 0 || ok;
        }
    }
    for (uint32_t i = 0; i < store_count && stuck == STORE_NONE; i++)
        if (ends[i] == 0)
            stuck = i;
    free(ends);
    return stuck;
}

double search_seconds_since(const struct timespec *start)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

/* All states that can be reached from the present one.  False: this has ended before. */
static bool explore_on(const struct search_limits *limits, struct search_result *r)
{
    struct store_note first;
    bool is_new;

    edge_count = 0;
    made_count = begun = 0;
    store_reset();
    store_note(&first, (struct model_choice){0, 0});
    store_put(&first, 0, (struct model_choice){0, 0}, &is_new);
    for (uint32_t i = 0; i < store_count; i++) {
        if (store_count > limits->states) {
            r->outcome = SEARCH_TOO_LARGE;
            return false;
        }
        if (!expand(limits, r, i))
            return false;
        if (made_count >= MADE_WANTED || i + 1 == store_count ||
            store_count + made_count > limits->states)
            put_made(i);
    }
    return true;
}

static void check_ways(const struct search_limits *limits, struct search_result *r)
{
    uint32_t stuck = STORE_NONE;

    if (limits->preemptions == SEARCH_UNBOUNDED && !model_program->leaves_asleep)
        stuck = find_stuck();
    if (stuck == STORE_NONE)
        return;
    model_fail("no way to finish", "from here on, no schedule lets all threads finish", 0, 0);
    fail(r, stuck, NULL);
}

static void explore(const struct search_limits *limits, struct search_result *r)
{
    perform_start();
    if (model_failure.kind != NULL) {
        store_reset();
        fail(r, 0, NULL);
        return;
    }
    if (!explore_on(limits, r))
        return;
    thread_check_dead();
    check_samples(limits);
    check_ways(limits, r);
}

void search_on(uint32_t states, struct search_result *r)
{
    const struct search_limits limits = {SEARCH_UNBOUNDED, states, NULL};

    memset(r, 0, sizeof *r);
    if (explore_on(&limits, r))
        check_ways(&limits, r);
}

void search(const struct search_limits *limits, struct search_result *result)
{
    struct timespec start;

    clock_gettime(CLOCK_MONOTONIC, &start);
    memset(result, 0, sizeof *result);
    result->preemptions = limits->preemptions;
    explore(limits, result);
    result->states = store_count;
    result->parts = store_part_count();
    result->bytes =
        store_bytes() + edge_capacity * sizeof *edges + start_capacity * sizeof *edge_start;
    for (uint32_t s = store_count - 1; store_count > 0 && s != 0; s = store_states[s].parent)
        result->depth++;
    result->seconds = search_seconds_since(&start);
}

void search_shorten(const struct search_limits *limits, struct search_result *result)
{
    const struct model_failure wanted = result->failure;

    for (uint32_t bound = 0; bound < 8; bound++) {
        const struct search_limits bounded = {bound, limits->states / 4, &wanted};
        struct search_result shorter;

        search(&bounded, &shorter);
        if (shorter.outcome == SEARCH_FAILED) {
            free(result->schedule);
            result->schedule = shorter.schedule;
            result->length = shorter.length;
            result->failure = shorter.failure;
            result->preemptions = bound;
            result->walks = 0;
        }
        if (shorter.outcome != SEARCH_PASSED)
            return;
    }
}

bool search_replay(const struct model_choice *schedule, unsigned length, unsigned *bad)
{
    struct model_choice list[MODEL_MAX_CHOICES];
    unsigned n;

    perform_start();
    for (unsigned i = 0; i < length && model_failure.kind == NULL; i++) {
        bool fits = false;

        n = perform_list(list);
        for (unsigned k = 0; k < n; k++)
            fits =
                fits || (list[k].thread == schedule[i].thread && list[k].what == schedule[i].what);
        if (!fits) {
            *bad = i;
            return false;
        }
        report_step(i + 1, schedule[i]);
        perform(schedule[i]);
        report_end_step();
    }
    n = perform_list(list);
    if (model_failure.kind == NULL)
        step_check_state(list, n);
    return true;
}
