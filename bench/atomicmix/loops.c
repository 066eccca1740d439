/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "atomicmix.h"
#include "measure/rng.h"

/*
 * Each loop is calls through a pointer, as a program makes them through its linkage table, and
 * nothing that depends on what they answer; only a compare-exchange goes on from its answer, as in
 * any loop around one.  Addresses are in registers: a load that follows a locked instruction waits
 * for it, so that a chain of loads before the next one would be measured, too.
 */
struct calls {
    struct actor *actor; /* whose value[] and out are the buffers */
    struct libatomics library;
    void *object;
    char *one; /* of value[]: what a compare-exchange expects; it stores the other */
    unsigned succeeded;
};

static inline void load(struct calls *c)
{
    c->library.load(c->actor->size, c->object, c->actor->out, c->actor->load_order);
}

static inline void store(struct calls *c)
{
    c->library.store(c->actor->size, c->object, c->actor->value[0], c->actor->store_order);
}

static inline void exchange(struct calls *c)
{
    c->library.exchange(c->actor->size, c->object, c->actor->value[0], c->actor->out,
                        c->actor->both_order);
}

static inline char *other(const struct calls *c)
{
    return c->actor->value[0] + (c->actor->value[1] - c->one);
}

/* Success: what was stored is expected next.  Failure: what was found is. */
static inline void took(struct calls *c, bool success)
{
    c->succeeded += success;
    c->one = success ? other(c) : c->one;
}

static inline void compare_exchange(struct calls *c)
{
    took(c, c->library.compare_exchange(c->actor->size, c->object, c->one, other(c),
                                        c->actor->both_order, c->actor->load_order));
}

static inline libatomics_u128 *pair_at(void *point)
{
    return __builtin_assume_aligned(point, sizeof(libatomics_u128));
}

static inline void load_16(struct calls *c)
{
    *pair_at(c->actor->out) = c->library.load_16(c->object, c->actor->load_order);
}

static inline void store_16(struct calls *c)
{
    c->library.store_16(c->object, *pair_at(c->actor->value[0]), c->actor->store_order);
}

static inline void exchange_16(struct calls *c)
{
    *pair_at(c->actor->out) =
        c->library.exchange_16(c->object, *pair_at(c->actor->value[0]), c->actor->both_order);
}

static inline void compare_exchange_16(struct calls *c)
{
    took(c, c->library.compare_exchange_16(c->object, c->one, *pair_at(other(c)),
                                           c->actor->both_order, c->actor->load_order));
}

static inline struct calls begin(struct actor *a)
{
    return (struct calls){
        .actor = a, .library = *a->library, .object = a->object, .one = a->value[a->expected]};
}

static inline void end(struct actor *a, const struct calls *c)
{
    a->expected = c->one == a->value[1];
    a->succeeded += c->succeeded;
}

#define LOOP(OPERATION, TRIED)                                \
    static void OPERATION##_loop(struct actor *a, unsigned n) \
    {                                                         \
        struct calls c = begin(a);                            \
        for (unsigned i = n; i > 0; i--)                      \
            OPERATION(&c);                                    \
        a->tried += (TRIED) ? n : 0;                          \
        end(a, &c);                                           \
    }

#define LOOPS(SUFFIX)                                           \
    LOOP(load##SUFFIX, false)                                   \
    LOOP(store##SUFFIX, false)                                  \
    LOOP(exchange##SUFFIX, false)                               \
    LOOP(compare_exchange##SUFFIX, true)                        \
    static void mix##SUFFIX##_loop(struct actor *a, unsigned n) \
    {                                                           \
        struct calls c = begin(a);                              \
        for (unsigned i = n; i > 0; i--)                        \
            switch (a->pattern[a->at++ % PATTERN]) {            \
            case LOAD:                                          \
                load##SUFFIX(&c);                               \
                break;                                          \
            case STORE:                                         \
                store##SUFFIX(&c);                              \
                break;                                          \
            case EXCHANGE:                                      \
                exchange##SUFFIX(&c);                           \
                break;                                          \
            default:                                            \
                compare_exchange##SUFFIX(&c);                   \
                a->tried++;                                     \
            }                                                   \
        end(a, &c);                                             \
    }

LOOPS()
LOOPS(_16)

static void (*loop_for(const struct test *t))(struct actor *, unsigned)
{
    static void (*const pure[2][OPERATIONS])(struct actor *, unsigned) = {
        {load_loop, store_loop, exchange_loop, compare_exchange_loop},
        {load_16_loop, store_16_loop, exchange_16_loop, compare_exchange_16_loop},
    };

    for (unsigned i = 0; i < OPERATIONS; i++)
        if (t->mix.share[i] == 100)
            return pure[t->sized][i];
    return t->sized ? mix_16_loop : mix_loop;
}

/* The shares to within a call, in random order. */
static void fill_pattern(struct actor *a, const struct mix *m, struct rng *rng)
{
    unsigned sum = 0, at = 0;

    for (unsigned i = 0; i < OPERATIONS; i++) {
        sum += m->share[i];
        while (at < (PATTERN * sum + 50) / 100)
            a->pattern[at++] = (unsigned char)i;
    }
    for (unsigned i = PATTERN - 1; i > 0; i--) {
        unsigned k = rng_below(rng, i + 1);
        unsigned char one = a->pattern[i];
        a->pattern[i] = a->pattern[k];
        a->pattern[k] = one;
    }
}

void actor_init(struct actor *a, const struct test *t, const struct libatomics *library,
                void *object, uint64_t seed)
{
    bool relaxed = t->order == __ATOMIC_RELAXED, strong = t->order == __ATOMIC_SEQ_CST;
    struct rng rng;

    rng_seed(&rng, seed);
    memset(a, 0, sizeof *a);
    memset(a->value[1], (int)(seed % 255) + 1, sizeof a->value[1]); /* [0]: as the object begins */
    a->library = library;
    a->object = object;
    a->size = t->size;
    a->both_order = t->order;
    a->load_order = relaxed ? __ATOMIC_RELAXED : strong ? __ATOMIC_SEQ_CST : __ATOMIC_ACQUIRE;
    a->store_order = relaxed ? __ATOMIC_RELAXED : strong ? __ATOMIC_SEQ_CST : __ATOMIC_RELEASE;
    a->loop = loop_for(t);
    fill_pattern(a, &t->mix, &rng);
}
