/* SPDX-License-Identifier: MIT */
/*
 * usage: mixing [--counters | --control]
 *
 * All ways to use one object, at once: generic calls, calls for its size, and instructions that the
 * compiler puts in.  Counters must not lose anything; and where a call works on a whole word around
 * its object, what others do to the rest of that word must not be lost either.
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "abi.h"
#include "inline.h"
#include "measure/workers.h"

enum { N_THREADS = 4, ROUNDS = 40000, LARGEST = 16 };

/* Both halves of the large counters move, so that a torn one shows. */
static const uint64_t steps[N_SIZED][2] = {{1}, {1}, {1}, {0x100000001}, {1, 1}};

static bool is_control;

struct counter {
    size_t index; /* of its size */
    unsigned char bytes[LARGEST] __attribute__((aligned(64)));
    unsigned added[N_THREADS];
    bool is_torn;
};

/* seen + step, for the ways that compare and exchange. */
static void next_of(const struct counter *c, const unsigned char *seen, unsigned char *next)
{
    size_t n = linked_abi.sized[c->index].size;
    uint64_t a[2] = {0, 0};

    memcpy(a, seen, n);
    a[0] += steps[c->index][0]; /* no counter gets so far that it carries into another half */
    a[1] += steps[c->index][1];
    memcpy(next, a, n);
}

static void by_generic_calls(struct counter *c)
{
    size_t n = linked_abi.sized[c->index].size;
    unsigned char seen[LARGEST], next[LARGEST];

    linked_abi.load(n, c->bytes, seen, __ATOMIC_RELAXED);
    do {
        next_of(c, seen, next);
    } while (
        !linked_abi.compare_exchange(n, c->bytes, seen, next, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
}

static void by_sized_compare_exchange(struct counter *c)
{
    const struct abi_sized *s = &linked_abi.sized[c->index];
    unsigned char seen[LARGEST], next[LARGEST];

    s->load(c->bytes, seen, __ATOMIC_RELAXED);
    do {
        next_of(c, seen, next);
    } while (!s->compare_exchange(c->bytes, seen, next, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
}

static void by_fetch_add(struct counter *c)
{
    unsigned char seen[LARGEST];

    linked_abi.sized[c->index].fetch_modify[MODIFY_ADD](c->bytes, steps[c->index], seen,
                                                        __ATOMIC_RELAXED);
}

static void by_add_fetch(struct counter *c)
{
    unsigned char seen[LARGEST];

    linked_abi.sized[c->index].modify_fetch[MODIFY_ADD](c->bytes, steps[c->index], seen,
                                                        __ATOMIC_SEQ_CST);
}

static void by_instruction(struct counter *c)
{
    if (!inline_add(linked_abi.sized[c->index].size, c->bytes, steps[c->index]))
        by_fetch_add(c);
}

/* How not to do it. */
static void by_load_and_store(struct counter *c)
{
    size_t n = linked_abi.sized[c->index].size;
    unsigned char seen[LARGEST], next[LARGEST];

    linked_abi.load(n, c->bytes, seen, __ATOMIC_SEQ_CST);
    sched_yield();
    next_of(c, seen, next);
    linked_abi.store(n, c->bytes, next, __ATOMIC_SEQ_CST);
}

static void (*const ways[])(struct counter *) = {
    by_generic_calls, by_sized_compare_exchange, by_fetch_add, by_add_fetch, by_instruction,
};

enum { N_WAYS = sizeof ways / sizeof *ways };

/* Both halves of a large counter, as a generic and as a sized load show them. */
static bool is_whole(struct counter *c, unsigned round)
{
    const struct abi_sized *s = &linked_abi.sized[c->index];
    uint64_t v[2] = {0, 0};

    if (round % 2)
        s->load(c->bytes, v, __ATOMIC_ACQUIRE);
    else
        linked_abi.load(s->size, c->bytes, v, __ATOMIC_ACQUIRE);
    if (s->size == 16)
        return v[0] == v[1];
    return s->size != 8 || v[0] >> 32 == (v[0] & UINT32_MAX);
}

static void count(unsigned me, void *arg)
{
    struct counter *c = arg;

    for (unsigned round = 0; round < ROUNDS; round++) {
        if (is_control && round % 16 == 0)
            by_load_and_store(c);
        else
            ways[(round + me) % N_WAYS](c);
        c->added[me]++;
        if (!is_whole(c, round))
            __atomic_store_n(&c->is_torn, true, __ATOMIC_RELAXED);
    }
}

static bool nothing_is_lost(size_t index)
{
    static struct counter c;
    size_t n = linked_abi.sized[index].size;
    unsigned char expected[LARGEST];
    uint64_t wanted[2] = {0, 0};

    c = (struct counter){.index = index};
    if (workers_run(N_THREADS, WORKER_THREADS, count, &c) != 0)
        return false;
    for (unsigned i = 0; i < N_THREADS; i++) {
        wanted[0] += c.added[i] * steps[index][0];
        wanted[1] += c.added[i] * steps[index][1];
    }
    memcpy(expected, wanted, n);
    if (c.is_torn || memcmp(c.bytes, expected, n) != 0) {
        printf("a counter of %zu bytes: %s\n", n, c.is_torn ? "torn" : "something is lost");
        return false;
    }
    return true;
}

/* An object in a word, between bytes that are others'. */
struct neighbours {
    size_t n, at;
    unsigned char word[LARGEST] __attribute__((aligned(16)));
    unsigned wrong;
};

static void use_object(struct neighbours *s, unsigned round)
{
    unsigned char mine[LARGEST], seen[LARGEST];
    unsigned char *object = s->word + s->at;

    memset(mine, (int)(round % 251), s->n);
    if (round % 3 == 0) {
        linked_abi.store(s->n, object, mine, __ATOMIC_RELEASE);
    } else if (round % 3 == 1) {
        linked_abi.exchange(s->n, object, mine, seen, __ATOMIC_ACQ_REL);
    } else {
        linked_abi.load(s->n, object, seen, __ATOMIC_ACQUIRE);
        linked_abi.compare_exchange(s->n, object, seen, mine, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    }
    linked_abi.load(s->n, object, seen, __ATOMIC_ACQUIRE);
    for (size_t i = 1; i < s->n; i++)
        if (seen[i] != seen[0])
            __atomic_fetch_add(&s->wrong, 1, __ATOMIC_RELAXED);
}

/* Two threads use the object; one has the byte before, by plain stores, one the byte behind. */
static void live_beside(unsigned me, void *arg)
{
    struct neighbours *s = arg;
    unsigned char *own = s->word + (me == 2 ? s->at - 1 : s->at + s->n);

    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned char v = (unsigned char)round;

        if (me < 2) {
            use_object(s, round);
            continue;
        }
        __atomic_store_n(own, v, __ATOMIC_RELAXED); /* a plain store, also to a sanitizer */
        for (unsigned look = 0; look < 4; look++)
            if (__atomic_load_n(own, __ATOMIC_RELAXED) != v)
                __atomic_fetch_add(&s->wrong, 1, __ATOMIC_RELAXED);
    }
}

static bool neighbours_are_left_alone(size_t n, size_t at)
{
    static struct neighbours s;

    s = (struct neighbours){.n = n, .at = at};
    if (workers_run(N_THREADS, WORKER_THREADS, live_beside, &s) != 0)
        return false;
    if (s.wrong != 0)
        printf("%zu bytes at %zu: wrong %u times, torn or by a neighbour\n", n, at, s.wrong);
    return s.wrong == 0;
}

static bool all_neighbours_are_left_alone(void)
{
    static const size_t cases[][2] = {{3, 1}, {5, 2}, {6, 6}, {10, 3}, {14, 1}}; /* bytes, place */
    bool good = true;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        good = neighbours_are_left_alone(cases[i][0], cases[i][1]) && good;
    return good;
}

int main(int argc, char **argv)
{
    const char *part = argc == 2 ? argv[1] : "";
    bool good = true;

    is_control = strcmp(part, "--control") == 0;
    for (size_t i = 0; i < N_SIZED; i++) {
        bool is_kept = nothing_is_lost(i);

        good = good && is_kept != is_control;
    }
    if (is_control) {
        printf("counters that lose something are %snoticed\n", good ? "" : "NOT ");
        return good ? 0 : 1;
    }
    if (strcmp(part, "--counters") != 0)
        good = all_neighbours_are_left_alone() && good;
    if (good)
        printf("%d threads, %d rounds each: nothing lost, nothing torn\n", N_THREADS, ROUNDS);
    return good ? 0 : 1;
}
