/* SPDX-License-Identifier: MIT */
#include "sequential.h"

#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include "operation.h"
#include "region.h"

enum { PAGES = 3, WORD = 8, PAIR = 16, AROUND = 64, EVERYWHERE_EACH = 64 };

/* The operation under way, and where in the regions its object and buffers are. */
struct test {
    const struct abi *abi;
    bool is_read_only;
    struct rng random;
    struct region objects, in, out;
    struct operation now;
    size_t object_at, in_at, out_at;
    bool is_same_buffer; /* what is read goes where the operand was */
    unsigned number;
};

static bool one_in(struct test *t, uint32_t n)
{
    return rng_below(&t->random, n) == 0;
}

static struct region *out_region(struct test *t)
{
    return t->is_same_buffer ? &t->in : &t->out;
}

static size_t random_size(struct test *t)
{
    static const uint32_t limits[] = {17, 17, 17, 33, 65, 129, OPERATION_MAX + 1};

    return rng_below(&t->random, limits[rng_below(&t->random, 7)]);
}

/* An offset for n bytes: anywhere, aligned, at an end of the region, or across an edge in it. */
static size_t random_offset(struct test *t, const struct region *r, size_t n, size_t alignment)
{
    size_t last = r->size - n;
    size_t edge = r->size / PAGES * (1 + rng_below(&t->random, PAGES - 1));
    size_t at = rng_below(&t->random, (uint32_t)last + 1);

    switch (rng_below(&t->random, 8)) {
    case 0:
        at = last;
        break;
    case 1:
        at = 0;
        break;
    case 2:
        at = edge - rng_below(&t->random, (uint32_t)n + 1);
        break;
    case 3:
        at &= ~(size_t)(PAIR - 1);
        break;
    case 4:
        at &= ~(size_t)(WORD - 1);
        break;
    default:
        break;
    }
    if (at > last)
        at = last;
    return at & ~(alignment - 1);
}

/* A compare-exchange inside a pair may be an instruction, which writes also when it fails. */
static enum kind random_kind(struct test *t)
{
    if (!t->is_read_only)
        return (enum kind)rng_below(&t->random, N_KINDS);
    return one_in(t, 2) ? LOAD : COMPARE_EXCHANGE;
}

static bool is_within(const struct test *t, size_t whole)
{
    return t->object_at % whole + t->now.n <= whole;
}

/* Where there is no plain load of a pair, it is loaded by an instruction that writes. */
#if defined __x86_64__
static bool pair_loads_write(void)
{
    return !__builtin_cpu_supports("avx");
}
#elif defined __aarch64__
static bool pair_loads_write(void)
{
    return (getauxval(AT_HWCAP) & HWCAP_USCAT) == 0;
}
#else
static bool pair_loads_write(void)
{
    return false;
}
#endif

enum { ELISION_ACQUIRE = 1 << 16, ELISION_RELEASE = 1 << 17 }; /* gcc's, on x86 */

/*
 * Mostly such as C11 allows; otherwise anything that a compiler lets pass, also with the flag for
 * hardware lock elision.
 */
static int random_order(struct rng *random, enum kind use)
{
    static const int loads[] = {__ATOMIC_RELAXED, __ATOMIC_CONSUME, __ATOMIC_ACQUIRE,
                                __ATOMIC_SEQ_CST};
    static const int stores[] = {__ATOMIC_RELAXED, __ATOMIC_RELEASE, __ATOMIC_SEQ_CST};
    static const int all[] = {__ATOMIC_RELAXED, __ATOMIC_CONSUME, __ATOMIC_ACQUIRE,
                              __ATOMIC_RELEASE, __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST};
    uint32_t whim = rng_below(random, 16);
    int any = all[rng_below(random, 6)];

    if (whim == 0)
        return any | (rng_below(random, 2) ? ELISION_ACQUIRE : ELISION_RELEASE);
    if (whim == 1 || (use != LOAD && use != STORE))
        return any;
    if (use == LOAD)
        return loads[rng_below(random, 4)];
    return stores[rng_below(random, 3)];
}

static void choose(struct test *t)
{
    struct operation *o = &t->now;

    *o = (struct operation){.kind = random_kind(t)};
    if (o->kind >= FETCH_MODIFY || one_in(t, 4))
        o->sized = &t->abi->sized[rng_below(&t->random, N_SIZED)];
    o->n = o->sized != NULL ? o->sized->size : random_size(t);
    o->modify = (enum modify)rng_below(&t->random, N_MODIFY);
    t->object_at = random_offset(t, &t->objects, o->n, o->sized != NULL ? o->n : 1);
    if (t->is_read_only && is_within(t, PAIR)) {
        o->kind = LOAD;
        if (pair_loads_write() && !is_within(t, WORD)) {
            o->sized = NULL;
            o->n = WORD - t->object_at % WORD;
        }
    }
    t->is_same_buffer = (o->kind == EXCHANGE || o->kind == COMPARE_EXCHANGE) && one_in(t, 4);
    t->in_at = random_offset(t, &t->in, o->n, 1);
    t->out_at = t->is_same_buffer ? t->in_at : random_offset(t, &t->out, o->n, 1);
    o->order = random_order(&t->random, o->kind);
    o->failure = random_order(&t->random, LOAD);
}

/* An expected value that is right, almost right, or anything. */
static void fill_expected(struct test *t)
{
    struct region *r = out_region(t);
    size_t n = t->now.n, wrong;

    if (one_in(t, 8))
        return;
    memcpy(r->model + t->out_at, t->objects.model + t->object_at, n);
    if (n > 0 && (t->is_read_only || one_in(t, 2))) {
        wrong = one_in(t, 2) ? n - 1 : rng_below(&t->random, (uint32_t)n);
        r->model[t->out_at + wrong] ^= (unsigned char)(1U << rng_below(&t->random, 8));
    }
    memcpy(r->memory + t->out_at, r->model + t->out_at, n);
}

static void fill(struct test *t)
{
    unsigned char flag = (unsigned char)rng_below(&t->random, 2);

    region_fill(&t->in, &t->random, t->in_at, t->now.n);
    if (!t->is_same_buffer)
        region_fill(&t->out, &t->random, t->out_at, t->now.n);
    if (t->now.kind == COMPARE_EXCHANGE)
        fill_expected(t);
    if (t->now.kind == SET) /* no other values mean anything in a flag */
        t->objects.memory[t->object_at] = t->objects.model[t->object_at] = flag;
}

/* Around the offset each time; now and then everywhere, since that takes longer than the rest. */
static bool region_is_right(const struct test *t, const struct region *r, const char *name,
                            size_t offset)
{
    bool all = t->number % EVERYWHERE_EACH == 0;
    size_t from = all || offset < AROUND ? 0 : offset - AROUND;
    size_t at = region_difference(r, from, all ? r->size : offset + t->now.n + AROUND);

    if (at == r->size)
        return true;
    fprintf(stderr, "%s: byte %ld of %zu is %02x, not %02x\n", name, (long)at - (long)offset,
            t->now.n, r->memory[at], r->model[at]);
    return false;
}

static bool try_one(struct test *t)
{
    const struct operation *o = &t->now;
    struct region *out = out_region(t);
    bool answer, expected;

    expected =
        imitate(o, t->objects.model + t->object_at, t->in.model + t->in_at, out->model + t->out_at);
    answer = perform(o, t->abi, t->objects.memory + t->object_at, t->in.memory + t->in_at,
                     out->memory + t->out_at);
    if (answer != expected) {
        fprintf(stderr, "it answered %d\n", answer);
        return false;
    }
    return region_is_right(t, &t->objects, "object", t->object_at) &&
           region_is_right(t, &t->in, "operand", t->in_at) &&
           region_is_right(t, &t->out, "result", t->out_at);
}

static void explain(const struct test *t, uint64_t seed)
{
    const struct operation *o = &t->now;

    fprintf(stderr,
            "wrong: %s %s (%s) of %zu bytes at %zu modulo 64, operand at %zu%s, orders %x and %x; "
            "%s, seed %llu, operation %u\n",
            o->sized != NULL ? "sized" : "generic", kind_names[o->kind], modify_names[o->modify],
            o->n, t->object_at % 64, t->in_at % 64, t->is_same_buffer ? " and in place" : "",
            (unsigned)o->order, (unsigned)o->failure, t->is_read_only ? "read-only" : "writable",
            (unsigned long long)seed, t->number);
}

static bool holds(struct test *t, uint64_t seed, unsigned operations)
{
    for (t->number = 0; t->number < operations; t->number++) {
        choose(t);
        fill(t);
        if (!try_one(t)) {
            explain(t, seed);
            return false;
        }
    }
    return true;
}

bool property_holds(const struct abi *abi, bool is_read_only, uint64_t seed, unsigned operations)
{
    static struct test t;
    bool good;

    if (t.objects.size == 0) {
        t.objects = region_new(PAGES);
        t.in = region_new(PAGES);
        t.out = region_new(PAGES);
    }
    t.abi = abi;
    t.is_read_only = is_read_only;
    rng_seed(&t.random, seed);
    region_fill(&t.objects, &t.random, 0, t.objects.size);
    region_protect(&t.objects, !is_read_only);
    good = holds(&t, seed, operations);
    region_protect(&t.objects, true);
    return good;
}
