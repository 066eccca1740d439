/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <stdio.h>
#include <string.h>

#include <furwock/barrier.h>

/*
 * Rounds in which each party comes and waits in a way of its own; parties drop out until one is
 * left, and then all begin again.  After each round everybody must find that everybody else had
 * arrived.  In games in which all use the same call each round has one serial thread; in the others
 * one at most.
 */

enum { MAX_PARTIES = 64, MAX_ROUNDS = 200, GONE = -1 };

static fw_barrier barrier;
static int64_t arrived[MAX_PARTIES]; /* in which round; GONE: dropped out */
static unsigned serials[MAX_ROUNDS]; /* how many threads were told so */
static int64_t shortest;             /* the first round in which somebody drops out */
static bool is_plain;                /* a game of fw_barrier_wait only */
static pthread_barrier_t between_games;
static bool is_last_game;

static void check_all_arrived(struct worker *me, int64_t round)
{
    for (unsigned i = 0; i < stress.threads; i++) {
        int64_t a = __atomic_load_n(&arrived[i], __ATOMIC_RELAXED);

        if (a != GONE && a != round && a != round + 1) {
            fprintf(stderr, "worker %u is in round %ld, worker %u in %ld\n", me->index, (long)round,
                    i, (long)a);
            stress_fail("two rounds mix", NULL);
        }
    }
}

/* Arrives, and waits; counts the serial thread where the call tells. */
static bool meet(struct worker *me)
{
    uint32_t phase;

    switch (is_plain ? 3 : draw(me, 4)) {
    case 0:
        phase = fw_barrier_arrive(&barrier);
        if (draw(me, 2))
            burn(draw(me, 2000));
        fw_barrier_await(&barrier, phase);
        return false;
    case 1:
        return fw_barrier_wait_policy(&barrier, some_policy(me)) == FW_BARRIER_SERIAL;
    default:
        return fw_barrier_wait(&barrier) == FW_BARRIER_SERIAL;
    }
}

static void play(struct worker *me)
{
    int64_t rounds = (int64_t)draw(me, MAX_ROUNDS);
    int64_t seen = __atomic_load_n(&shortest, __ATOMIC_RELAXED);

    while (rounds < seen && !__atomic_compare_exchange_n(&shortest, &seen, rounds, false,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
    for (int64_t round = 0; round < rounds; round++) {
        if (draw(me, 16) == 0)
            burn(draw(me, 20000));
        me->doing = "meeting";
        __atomic_store_n(&arrived[me->index], round, __ATOMIC_RELAXED);
        if (meet(me))
            __atomic_fetch_add(&serials[round], 1, __ATOMIC_RELAXED);
        check_all_arrived(me, round);
        did_a_turn(me);
    }
    me->doing = "dropping out";
    __atomic_store_n(&arrived[me->index], GONE, __ATOMIC_RELAXED);
    fw_barrier_drop(&barrier);
}

static void begin_game(struct worker *me)
{
    is_last_game = stress_is_over();
    is_plain = draw(me, 2) == 0;
    shortest = MAX_ROUNDS;
    memset(serials, 0, sizeof serials);
    if (fw_barrier_init(&barrier, stress.threads) != 0)
        stress_fail("a barrier cannot be made", NULL);
}

static void end_game(void)
{
    for (int64_t round = 0; round < MAX_ROUNDS; round++)
        if (serials[round] > 1 || (is_plain && round < shortest && serials[round] != 1))
            stress_fail("a round has not one serial thread", NULL);
    fw_barrier_destroy(&barrier);
}

static void body(struct worker *me)
{
    bool last;

    do {
        if (me->index == 0)
            begin_game(me);
        arrived[me->index] = 0;
        me->doing = "waiting for the game";
        pthread_barrier_wait(&between_games);
        last = is_last_game;
        play(me);
        did_a_turn(me);
        pthread_barrier_wait(&between_games);
        if (me->index == 0)
            end_game();
    } while (!last);
}

static int begin(void)
{
    return pthread_barrier_init(&between_games, NULL, stress.threads);
}

const struct stress_test barrier_tests[] = {
    {"barrier_rounds", "Rounds of a barrier, and parties that drop out", body, 40000, .threads = 5,
     .least_threads = 1, .most_threads = MAX_PARTIES, .begin = begin},
    {0}};
