/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "atomicmix.h"
#include "measure/workers.h"

enum {
    NS_PER_MS = 1000000,
    PART_OF_LOADS_PER_CPU = 2, /* threads, of the goal for 95:5 */
    LOADERS = 2                /* threads, of the goal for loads */
};

const char *const where_names[PLACES] = {"same", "neighbours", "far"};

static const char *const operation_names[OPERATIONS] = {"load", "store", "exchange",
                                                        "compare-exchange"};
static const char all_operations[] = "load,store,exchange,compare-exchange";
static const char shares[] = "95:5,50:50,25:25:25:25";

/* --- What the user asks for ------------------------------------------------------------------- */

/* One mix: the name of an operation, or percentages that add up to 100. */
static bool read_mix(struct mix *m, const char *word)
{
    unsigned sum = 0, n = 0;
    char *end;

    *m = (struct mix){0};
    if (strlen(word) >= sizeof m->name)
        return false;
    strcpy(m->name, word);
    for (unsigned i = 0; i < OPERATIONS; i++)
        if (strcmp(word, operation_names[i]) == 0) {
            m->share[i] = 100;
            return true;
        }
    for (const char *rest = word; n < OPERATIONS; rest = end + 1) {
        unsigned long share = strtoul(rest, &end, 10);
        if (*rest < '0' || *rest > '9' || share > 100)
            return false;
        m->share[n++] = (unsigned)share;
        sum += (unsigned)share;
        if (*end != ':')
            return *end == '\0' && sum == 100;
    }
    return false;
}

void plan_mixes(struct plan *p, const char *text)
{
    char *copy = strdup(text), *rest = copy, *word;

    p->n_mixes = 0;
    while (copy != NULL && (word = strsep(&rest, ",")) != NULL)
        if (p->n_mixes == MIXES_MAX || !read_mix(&p->mixes[p->n_mixes++], word))
            bench_die("--mix takes up to %d of load, store, exchange, compare-exchange, or the "
                      "percentages of these as 95:5, not \"%s\"",
                      MIXES_MAX, text);
    free(copy);
}

void plan_points(struct plan *p, const char *text)
{
    char *copy = strdup(text), *rest = copy, *word;
    unsigned i;

    memset(p->where, false, sizeof p->where);
    while (copy != NULL && (word = strsep(&rest, ",")) != NULL) {
        for (i = 0; i < PLACES && strcmp(word, where_names[i]) != 0; i++)
            ;
        if (i == PLACES)
            bench_die("--place takes some of same, neighbours, far, not \"%s\"", text);
        p->where[i] = true;
    }
    free(copy);
}

void plan_order(struct plan *p, const char *text)
{
    if (strcmp(text, "seq_cst") == 0)
        p->order = __ATOMIC_SEQ_CST;
    else if (strcmp(text, "acq_rel") == 0)
        p->order = __ATOMIC_ACQ_REL;
    else if (strcmp(text, "relaxed") == 0)
        p->order = __ATOMIC_RELAXED;
    else
        bench_die("--order takes seq_cst, acq_rel or relaxed, not \"%s\"", text);
}

/* --- All points ------------------------------------------------------------------------------- */

struct tests {
    struct test *list;
    size_t n;
};

static struct test *add(struct tests *all, const struct plan *p, size_t size, const char *mix)
{
    struct test *more = realloc(all->list, (all->n + 1) * sizeof *more);

    if (more == NULL)
        bench_die("no memory");
    all->list = more;
    struct test *t = &more[all->n++];
    *t = (struct test){.size = size,
                       .offset = p->offset,
                       .order = p->order,
                       .run_ns = (uint64_t)p->run_ms * NS_PER_MS};
    if (mix != NULL)
        read_mix(&t->mix, mix);
    return t;
}

/* Every size with every mix, number of threads and point; nobody has neighbours when alone. */
static void add_product(struct tests *all, const struct plan *p)
{
    for (size_t s = 0; s < p->n_sizes; s++)
        for (size_t m = 0; m < p->n_mixes; m++)
            for (size_t i = 0; i < p->n_threads; i++)
                for (unsigned w = 0; w < (p->threads[i] == 0 ? 1 : PLACES); w++) {
                    if (p->threads[i] != 0 && !p->where[w])
                        continue;
                    struct test *t = add(all, p, p->sizes[s], NULL);
                    t->mix = p->mixes[m];
                    t->threads = p->threads[i] * cpus_usable();
                    t->where = (enum where)w;
                    t->sized = p->sized;
                }
}

static void set_list(unsigned *list, size_t *n, const unsigned *from, size_t count)
{
    memcpy(list, from, count * sizeof *list);
    *n = count;
}

static const unsigned all_sizes[] = {8, 16, 24, 32, 64, 128, 256};

static void set_sizes(struct plan *p, bool all)
{
    static const unsigned one[] = {32};
    size_t n = sizeof all_sizes / sizeof *all_sizes;

    set_list(p->sizes, &p->n_sizes, all ? all_sizes : one, all ? n : 1);
}

static void set_threads(struct plan *p, unsigned first, unsigned last)
{
    p->n_threads = 0;
    for (unsigned i = first; i <= last; i++)
        p->threads[p->n_threads++] = i;
}

/* Each size, each mix and number of threads, each point: but not each with each. */
static void add_usual(struct tests *all, const struct plan *given)
{
    struct plan p = *given;

    set_sizes(&p, true);
    plan_mixes(&p, all_operations);
    set_threads(&p, 0, 1);
    plan_points(&p, "same");
    add_product(all, &p);

    set_sizes(&p, false);
    set_threads(&p, 2, 4);
    add_product(all, &p);
    plan_mixes(&p, shares);
    set_threads(&p, 1, 4);
    add_product(all, &p);

    plan_mixes(&p, "load,store,95:5,25:25:25:25");
    plan_points(&p, "neighbours,far");
    set_threads(&p, 1, 2);
    add_product(all, &p);
}

/* --- What furwock's library sets out to reach ------------------------------------------------- */

/* Uncontended, 32 bytes: of libatomic's time. */
static const double most_alone[OPERATIONS] = {0.6, 0.9, 0.8, 0.8};

enum { OBJECT = 32, LOADS_TIMES = 20, PART_OF_LOADS_TIMES = 5 };

static const struct mix *part_of_loads(void)
{
    static struct mix mix;

    read_mix(&mix, "95:5");
    return &mix;
}

static int operation_of(const struct mix *m)
{
    for (int i = 0; i < OPERATIONS; i++)
        if (m->share[i] == 100)
            return i;
    return -1;
}

static void set_goal(struct test *t, enum goal_kind kind, double bound)
{
    t->goal = kind;
    t->bound = bound;
}

/* The figure for a point, whatever plan it is in. */
static void find_goal(struct test *t)
{
    int operation = operation_of(&t->mix);

    if (t->offset != 0 || t->order != __ATOMIC_SEQ_CST || t->where != SAME)
        return;
    if (t->size == PAIR_BYTES && operation >= 0)
        set_goal(t, TIME_AT_MOST, 1);
    if (t->size != OBJECT)
        return;
    if (t->threads == 0 && operation >= 0)
        set_goal(t, TIME_AT_MOST, most_alone[operation]);
    if (t->threads == LOADERS && operation == LOAD)
        set_goal(t, TIMES_AT_LEAST, LOADS_TIMES);
    if (t->threads == PART_OF_LOADS_PER_CPU * cpus_usable() &&
        memcmp(t->mix.share, part_of_loads()->share, sizeof t->mix.share) == 0)
        set_goal(t, TIMES_AT_LEAST, PART_OF_LOADS_TIMES);
}

static void add_goals(struct tests *all, const struct plan *p)
{
    struct test *t;

    for (unsigned i = 0; i < OPERATIONS; i++)
        add(all, p, OBJECT, operation_names[i]);
    t = add(all, p, OBJECT, "load");
    t->threads = LOADERS;
    t = add(all, p, OBJECT, "95:5");
    t->threads = PART_OF_LOADS_PER_CPU * cpus_usable();
    for (unsigned i = 0; i < 3 * 2 * OPERATIONS; i++) {
        t = add(all, p, PAIR_BYTES, operation_names[i % OPERATIONS]);
        t->sized = i / OPERATIONS % 2 != 0;
        t->threads = i / OPERATIONS / 2 * cpus_usable(); /* none, one and two for each CPU */
    }
}

static bool is_same(const struct test *a, const struct test *b)
{
    return a->size == b->size && a->offset == b->offset && a->sized == b->sized &&
           a->where == b->where && a->threads == b->threads && a->order == b->order &&
           memcmp(a->mix.share, b->mix.share, sizeof a->mix.share) == 0;
}

/* Each point once, with its goal. */
static void finish(struct tests *all)
{
    size_t kept = 0;

    for (size_t i = 0; i < all->n; i++) {
        bool again = false;
        for (size_t k = 0; k < kept && !again; k++)
            again = is_same(&all->list[i], &all->list[k]);
        if (again)
            continue;
        all->list[kept] = all->list[i];
        find_goal(&all->list[kept++]);
    }
    all->n = kept;
}

/* --- The plan --------------------------------------------------------------------------------- */

static void complete(struct plan *p)
{
    if (p->n_sizes == 0)
        set_sizes(p, p->grid);
    if (p->sized)
        set_list(p->sizes, &p->n_sizes, (const unsigned[]){PAIR_BYTES}, 1);
    if (p->n_mixes == 0)
        plan_mixes(p, p->grid ? "load,store,exchange,compare-exchange,95:5,50:50,25:25:25:25"
                              : all_operations);
    if (p->n_threads == 0)
        set_threads(p, 0, p->grid ? 4 : 1);
    if (!p->where[SAME] && !p->where[NEIGHBOURS] && !p->where[FAR_APART])
        plan_points(p, p->grid ? "same,neighbours,far" : "same");
}

struct test *plan_tests(struct plan *p, size_t *n)
{
    struct tests all = {0};
    bool chosen = p->n_sizes + p->n_mixes + p->n_threads > 0 || p->where[SAME] ||
                  p->where[NEIGHBOURS] || p->where[FAR_APART] || p->sized;

    if (p->goals && (chosen || p->grid || p->offset != 0 || p->order != __ATOMIC_SEQ_CST))
        bench_die("--goals has its own points");
    if (!chosen && !p->grid) {
        if (!p->goals)
            add_usual(&all, p);
        add_goals(&all, p);
    } else {
        complete(p);
        add_product(&all, p);
    }
    finish(&all);
    *n = all.n;
    return all.list;
}
