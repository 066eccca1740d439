/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "sys/claim.h"
#include "test/support/unit.h"

/* To look around and store, in one step as far as the CPU's other threads can tell: sys/claim.h. */

enum { OTHERS = 3, ROUNDS = 20000, TRIES = 1000 };

static uint64_t word, other[OTHERS];
static const uint64_t *const place[OTHERS] = {&other[0], &other[1], &other[2]};
static uint32_t own_cpu;
static bool is_known; /* restartable sequences are there */

/* More than once: it may be interrupted. */
static bool claim(uint32_t cpu, uint64_t value, const uint64_t *seen)
{
    for (int i = 0; i < TRIES; i++)
        if (fw_claim_(cpu, &word, value, place, seen, OTHERS))
            return true;
    return false;
}

TEST(what_is_as_seen_is_claimed)
{
    const uint64_t seen[OTHERS] = {1, UINT64_MAX, 0};

    if (!is_known)
        skip();
    for (int i = 0; i < OTHERS; i++)
        other[i] = seen[i];
    assert_true(claim(own_cpu, UINT64_C(1) << 63, seen));
    assert_true(word == UINT64_C(1) << 63);
    assert_true(fw_claim_(own_cpu, &word, 5, NULL, NULL, 0) || claim(own_cpu, 5, seen));
    assert_true(word == 5);
}

TEST(what_differs_in_one_word_is_not)
{
    word = 7;
    for (int i = 0; i < OTHERS; i++) {
        uint64_t seen[OTHERS] = {1, UINT64_MAX, 0};
        for (int j = 0; j < OTHERS; j++)
            other[j] = seen[j];
        other[i] ^= UINT64_C(1) << 40;
        assert_false(claim(own_cpu, 8, seen));
    }
    assert_true(word == 7);
}

TEST(nothing_is_claimed_on_another_cpu)
{
    const uint64_t seen[OTHERS] = {0};

    word = 7;
    for (int i = 0; i < OTHERS; i++)
        other[i] = 0;
    assert_false(claim(own_cpu + 1, 8, seen));
    assert_true(word == 7);
}

/* By the call for one other word. */
static bool claim_one(uint32_t cpu, uint64_t value, uint64_t seen)
{
    for (int i = 0; i < TRIES; i++)
        if (fw_claim_one_(cpu, &word, value, &other[0], seen))
            return true;
    return false;
}

TEST(one_word_is_looked_at_like_several)
{
    word = 7;
    other[0] = UINT64_C(1) << 40;
    assert_false(claim_one(own_cpu, 8, 0));
    assert_false(claim_one(own_cpu + 1, 8, other[0]));
    assert_true(word == 7);
    if (!is_known)
        skip();
    assert_true(claim_one(own_cpu, UINT64_C(1) << 63, other[0]));
    assert_true(word == UINT64_C(1) << 63);
}

static uint64_t taken[2];
static unsigned inside, broken;

/* Two on one CPU, each of which has a word: at most one of them is set at a time. */
static void *take_and_leave(void *index)
{
    static const uint64_t nothing;
    unsigned me = (unsigned)(uintptr_t)index;
    const uint64_t *const peer = &taken[1 - me];

    for (unsigned i = 0, tries = 0; i < ROUNDS && tries < 100 * ROUNDS; tries++) {
        bool has_it = i % 2 == 0 ? fw_claim_(own_cpu, &taken[me], 1, &peer, &nothing, 1)
                                 : fw_claim_one_(own_cpu, &taken[me], 1, peer, nothing);
        if (!has_it) {
            sched_yield();
            continue;
        }
        if (__atomic_add_fetch(&inside, 1, __ATOMIC_RELAXED) != 1)
            __atomic_store_n(&broken, 1, __ATOMIC_RELAXED);
        if (++i % 64 == 0)
            sched_yield();
        __atomic_sub_fetch(&inside, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&taken[me], 0, __ATOMIC_RELEASE);
    }
    return NULL;
}

TEST(two_never_claim_at_a_time)
{
    pthread_t thread[2];

    if (!is_known)
        skip();
    for (uintptr_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, take_and_leave, (void *)i), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(broken, 0);
}

/* Stays on one CPU; false where it is not allowed to. */
static bool stay(void)
{
    cpu_set_t one;

    own_cpu = (uint32_t)sched_getcpu();
    CPU_ZERO(&one);
    CPU_SET(own_cpu, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
}

int main(void)
{
    const uint64_t seen[OTHERS] = {0};

    is_known = stay() && claim(own_cpu, 1, seen);
    return unit_run(NULL, NULL);
}
