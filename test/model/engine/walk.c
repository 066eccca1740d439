/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure/rng.h"

#include "pages.h"
#include "store.h"
#include "walk.h"

/* Who polls may do so without an end. */
#define MOST_STEPS 600u

/* After such walks, the first of them, all is searched that has at most that many states. */
#define MOST_STATES 3000u
#define MOST_SEARCHES 20u

static struct rng chance;

/* How likely each kind of step is, for the whole of a walk. */
static struct {
    uint32_t stay; /* how many times likelier: of the thread that made the last step */
    uint32_t whim, flush;
    uint32_t slow;   /* bit n: thread n is, until that changes, */
    uint32_t change; /* once in how many steps */
} odds;

#define ONE 64u /* the weight of a step that is nothing special */
#define SLOWER 32u

static void draw_odds(void)
{
    static const uint32_t stay[] = {1, 4, 16, 64}, whim[] = {1, 4, 16, ONE},
                          flush[] = {4, ONE / 4, ONE, 4 * ONE}, change[] = {4, 16, 64, 256};

    odds.stay = stay[rng_below(&chance, 4)];
    odds.whim = whim[rng_below(&chance, 4)];
    odds.flush = flush[rng_below(&chance, 4)];
    odds.change = change[rng_below(&chance, 4)];
    odds.slow = rng_below(&chance, 1u << model_thread_count);
}

static uint32_t weight_of(struct model_choice choice, unsigned last)
{
    uint32_t weight = perform_is_whim(choice)       ? odds.whim
                      : choice.what == CHOICE_FLUSH ? odds.flush
                                                    : ONE;

    if (choice.thread == last)
        weight *= odds.stay;
    return (odds.slow >> choice.thread & 1) != 0 ? (weight + SLOWER - 1) / SLOWER : weight;
}

static unsigned draw(const struct model_choice *list, unsigned n, unsigned last)
{
    uint32_t weights[MODEL_MAX_CHOICES], all = 0, at;
    unsigned i = 0;

    if (rng_below(&chance, odds.change) == 0)
        odds.slow = rng_below(&chance, 1u << model_thread_count);
    for (unsigned k = 0; k < n; k++)
        all += weights[k] = weight_of(list[k], last);
    for (at = rng_below(&chance, all); at >= weights[i]; i++)
        at -= weights[i];
    return i;
}

/* Returns the number of steps. */
static unsigned walk_once(const struct search_limits *limits, struct model_choice *path)
{
    struct model_choice list[MODEL_MAX_CHOICES];
    unsigned length = 0, last = 0;

    store_forget();
    store_load(0);
    draw_odds();
    while (length < MOST_STEPS) {
        unsigned n = perform_list(list);
        unsigned i;

        if (step_check_state(list, n) || model_failure.kind != NULL)
            break;
        i = draw(list, n, last);
        while (!step(list[i], list, n, limits->preemptions)) {
            list[i] = list[--n]; /* too many preemptions */
            if (n == 0)
                return length;
            i = rng_below(&chance, n);
        }
        path[length++] = list[i];
        last = list[i].thread;
        if (model_failure.kind != NULL)
            break;
    }
    return length;
}

/* State 0 is the start. */
static void store_start(void)
{
    const struct model_choice none = {0, 0};
    struct store_note first;
    bool is_new;

    store_reset();
    perform_start();
    store_note(&first, none);
    store_put(&first, 0, none, &is_new);
}

/* The walk has not come to an end. */
static void search_beyond(const struct model_choice *path, struct search_result *r)
{
    struct search_result beyond;

    search_on(MOST_STATES, &beyond);
    r->steps += beyond.steps;
    if (beyond.outcome != SEARCH_FAILED) {
        store_start();
        return;
    }
    r->schedule = pages_need(malloc((r->length + beyond.length) * sizeof *r->schedule));
    memcpy(r->schedule, path, r->length * sizeof *path);
    memcpy(r->schedule + r->length, beyond.schedule, beyond.length * sizeof *path);
    r->length += beyond.length;
    free(beyond.schedule);
}

static void keep(const struct model_choice *path, struct search_result *r)
{
    if (r->schedule == NULL) {
        r->schedule = pages_need(malloc((r->length + 1) * sizeof *path));
        memcpy(r->schedule, path, r->length * sizeof *path);
    }
    r->outcome = SEARCH_FAILED;
    r->failure = model_failure;
}

bool walk(const struct search_limits *limits, uint32_t seed, uint64_t steps,
          struct search_result *r)
{
    static struct model_choice path[MOST_STEPS];
    unsigned searches = limits->preemptions == SEARCH_UNBOUNDED ? MOST_SEARCHES : 0;
    struct timespec start;

    clock_gettime(CLOCK_MONOTONIC, &start);
    memset(r, 0, sizeof *r);
    r->preemptions = limits->preemptions;
    r->outcome = SEARCH_TOO_LARGE;
    rng_seed(&chance, seed);
    store_start();
    while (r->steps < steps && model_failure.kind == NULL) {
        r->walks++;
        r->length = walk_once(limits, path);
        r->steps += r->length + 1;
        if (r->length > r->depth)
            r->depth = r->length;
        if (r->length == MOST_STEPS && model_failure.kind == NULL && searches > 0) {
            searches--;
            search_beyond(path, r);
        }
    }
    if (model_failure.kind != NULL)
        keep(path, r);
    r->seconds = search_seconds_since(&start);
    return r->outcome == SEARCH_FAILED;
}
