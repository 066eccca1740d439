/* SPDX-License-Identifier: MIT */
/*
 * usage: mixing [--control]
 *
 * All ways to use one object, at once: generic calls, calls for its size, and instructions that the
 * compiler puts in.  Counters must not lose anything.  (What lies in the same word as an object is
 * left alone: stress_atomic_torn.)
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "abi.h"
#include "measure/workers.h"
#include "test/atomic/stress/words.h"

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

#define ADD(type) \
    __atomic_fetch_add((type *)(void *)c->bytes, (type)steps[c->index][0], __ATOMIC_RELAXED)

static void by_instruction(struct counter *c)
{
    unsigned char seen[LARGEST] = {0}, next[LARGEST];

    switch (linked_abi.sized[c->index].size) {
    case 1:
        ADD(uint8_t);
        break;
    case 2:
        ADD(uint16_t);
        break;
    case 4:
        ADD(uint32_t);
        break;
    case 8:
        ADD(uint64_t);
        break;
    default:
        if (!word_pair_is_inline()) {
            by_fetch_add(c);
            break;
        }
        do
            next_of(c, seen, next);
        while (!word_pair(CALL_COMPARE_EXCHANGE, c->bytes, seen, next));
    }
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

int main(int argc, char **argv)
{
    bool good = true;

    is_control = argc == 2 && strcmp(argv[1], "--control") == 0;
    for (size_t i = 0; i < N_SIZED; i++) {
        bool is_kept = nothing_is_lost(i);

        good = good && is_kept != is_control;
    }
    if (is_control)
        printf("counters that lose something are %snoticed\n", good ? "" : "NOT ");
    else if (good)
        printf("%d threads, %d rounds each: nothing lost, nothing torn\n", N_THREADS, ROUNDS);
    return good ? 0 : 1;
}
