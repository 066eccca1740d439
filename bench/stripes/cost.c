/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "atomic/stripe.h"
#include "bench/adapters/libatomics.h"
#include "measure/clock.h"
#include "measure/rng.h"
#include "measure/workers.h"
#include "stripes.h"

enum {
    SIZE = 32, /* of an object: two in a line */
    LINE_PAIR = 128,
    BATCH = 16,        /* calls between two looks at the clock */
    WARM_NS = 1000000, /* until all threads are under way */
    RUN_NS = 10000000,
    PICKS = 4096,         /* objects drawn in advance: a power of two */
    PAIR_BYTES = 1 << 20, /* in which two objects of one stripe are found */
    NS_PER_S = 1000000000
};

struct rival {
    ADAPTER_HEAD
    unsigned log2; /* of the table's size; of a pair: 0 */
    bool one_stripe, one_object;
};

static int init_nothing(void *object, bool shared)
{
    (void)object;
    (void)shared;
    return 0;
}

#define RIVAL(NAME, ABOUT)                                                         \
    .name = NAME, .about = ABOUT, .family = FAMILY_FURWOCK, .size = 1, .align = 1, \
    .init = init_nothing

static const struct rival own = {RIVAL("own stripes", "two objects, two stripes")};
static const struct rival one = {RIVAL("one stripe", "two objects that share a stripe"),
                                 .one_stripe = true};
static const struct rival same = {RIVAL("one object", "both use the same"), .one_object = true};
static const struct rival t64 = {RIVAL("64", "a table of 64 stripes"), .log2 = 6};
static const struct rival t256 = {RIVAL("256", "a table of 256 stripes"), .log2 = 8};
static const struct rival t1024 = {RIVAL("1024", "a table of 1024 stripes"), .log2 = 10};
static const struct rival t4096 = {RIVAL("4096", "a table of 4096 stripes"), .log2 = 12};

#define HEAD(RIVAL) ((const adapter_head *)&(RIVAL))
const adapter_head *const meetings[] = {HEAD(own), HEAD(one), HEAD(same), NULL};
const adapter_head *const tables[] = {HEAD(t64), HEAD(t256), HEAD(t1024), HEAD(t4096), NULL};
const char meetings_baseline[] = "own stripes", tables_baseline[] = "1024";

static struct fw_stripe_ table[1 << LOG2_MOST];

struct worker {
    alignas(LINE_PAIR) char value[SIZE];
    const struct run *run;
    void *object; /* of a pair */
    bool loads;
    unsigned at; /* in the picks */
    uint32_t picks[PICKS];
    alignas(LINE_PAIR) uint64_t done;
};

struct run {
    const struct libatomics *library; /* pairs use it whole */
    char *objects;
    unsigned shift; /* of a hash, for the table's size */
    struct worker *workers;
    unsigned n;
    void (*batch)(struct worker *w);
    alignas(LINE_PAIR) bool is_over;
};

/* --- Batches ---------------------------------------------------------------------------------- */

static void pair_batch(struct worker *w)
{
    const struct libatomics *l = w->run->library;

    for (int i = 0; i < BATCH; i++)
        if (w->loads)
            l->load(SIZE, w->object, w->value, __ATOMIC_SEQ_CST);
        else
            l->store(SIZE, w->object, w->value, __ATOMIC_SEQ_CST);
}

/* What the library's store does, with a table of another size. */
static void many_batch(struct worker *w)
{
    for (int i = 0; i < BATCH; i++) {
        void *object = w->run->objects + (size_t)w->picks[w->at++ % PICKS] * SIZE;
        struct fw_stripe_ *s = &table[fw_stripe_hash_(object) >> w->run->shift];
        fw_stripe_lock_(s);
        fw_stripe_write_(s, object, w->value, SIZE);
        fw_stripe_unlock_(s);
    }
}

/* --- A run ------------------------------------------------------------------------------------ */

static void work_on(unsigned me, void *run)
{
    struct run *r = run;
    struct worker *w = &r->workers[me];
    uint64_t done = 0;

    while (!__atomic_load_n(&r->is_over, __ATOMIC_RELAXED)) {
        r->batch(w);
        done += BATCH;
        __atomic_store_n(&w->done, done, __ATOMIC_RELAXED);
    }
}

static double look(const struct run *r, double *at_ns)
{
    double done = 0;

    for (unsigned i = 0; i < r->n; i++)
        done += (double)__atomic_load_n(&r->workers[i].done, __ATOMIC_RELAXED);
    *at_ns = (double)clock_ns();
    return done;
}

static bool run_all(struct run *r, struct bench_entry *entry, struct bench_run *out)
{
    struct worker_group *group = workers_start(r->n, WORKER_THREADS | WORKER_PINNED, work_on, r);
    double began, ended, first, last;
    struct tally before, did;

    if (group == NULL) {
        bench_warn("cannot start %u threads: %s", r->n, strerror(errno));
        return false;
    }
    workers_go(group);
    clock_sleep_ns(WARM_NS);
    tally_read(&before);
    first = look(r, &began);
    do {
        clock_sleep_ns(RUN_NS);
        last = look(r, &ended);
    } while (last == first);
    did = tally_since(&before);
    __atomic_store_n(&r->is_over, true, __ATOMIC_RELAXED);
    workers_join(group);
    tally_share(&did, last - first, entry, out);
    out->seconds = (ended - began) / (last - first) / NS_PER_S;
    return true;
}

/* --- What is used ----------------------------------------------------------------------------- */

/* The second object of a pair, on lines of its own. */
static char *partner(const struct rival *rival, char *bytes, char *first)
{
    unsigned stripe = fw_stripe_index_(first);

    if (rival->one_object)
        return first;
    for (char *p = bytes; p + SIZE <= bytes + PAIR_BYTES; p += SIZE)
        if ((p >= first + LINE_PAIR || p + LINE_PAIR <= first) &&
            (fw_stripe_index_(p) == stripe) == rival->one_stripe)
            return p;
    return NULL;
}

static bool prepare_pair(struct run *r, const struct scenario *scenario, const struct rival *rival)
{
    const char *why;
    char *first = r->objects + PAIR_BYTES / 2;

    r->library = libatomics_open("furwock", &why);
    if (r->library == NULL) {
        bench_warn("%s", why);
        return false;
    }
    r->batch = pair_batch;
    r->workers[0].object = first;
    r->workers[1].object = partner(rival, r->objects, first);
    r->workers[0].loads = scenario->kind == PAIR_LOADS;
    return r->workers[1].object != NULL;
}

static void prepare_many(struct run *r, const struct scenario *scenario, const struct rival *rival)
{
    r->batch = many_batch;
    r->shift = 64 - rival->log2;
    for (unsigned i = 0; i < r->n; i++) {
        struct rng rng;
        rng_seed(&rng, i);
        for (unsigned k = 0; k < PICKS; k++)
            r->workers[i].picks[k] = rng_below(&rng, (uint32_t)scenario->objects);
    }
}

bool cost_run(struct bench_point *point, struct bench_entry *entry, struct bench_run *out)
{
    const struct scenario *scenario = point->detail;
    const struct rival *rival = (const void *)entry->lock;
    size_t bytes = scenario->kind == MANY ? scenario->objects * SIZE : PAIR_BYTES;
    struct run r = {.n = scenario->threads};
    bool good = false;

    r.objects = aligned_alloc(LINE_PAIR, (bytes + LINE_PAIR - 1) / LINE_PAIR * LINE_PAIR);
    r.workers = aligned_alloc(LINE_PAIR, r.n * sizeof *r.workers);
    if (r.objects == NULL || r.workers == NULL) {
        bench_warn("no memory");
    } else {
        memset(r.objects, 0, bytes);
        memset(r.workers, 0, r.n * sizeof *r.workers);
        for (unsigned i = 0; i < r.n; i++)
            r.workers[i].run = &r;
        if (scenario->kind == MANY)
            prepare_many(&r, scenario, rival);
        if (scenario->kind == MANY || prepare_pair(&r, scenario, rival))
            good = run_all(&r, entry, out);
    }
    free(r.objects);
    free(r.workers);
    return good;
}
