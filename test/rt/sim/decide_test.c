/* SPDX-License-Identifier: MIT */
/*
 * rt/decide.h where no task set of the simulator leads: tasks that died, ceilings that were asked
 * for or lie below their task, circles, and memory that was written over.
 */
#include <string.h>

#include "measure/rng.h"
#include "rt/decide.h"
#include "test/support/unit.h"

static struct fw_rt_state shared;

static void task(uint32_t t, uint32_t cpu, uint32_t base, uint64_t held)
{
    shared.task[t].state = FW_RT_LIVE;
    shared.task[t].cpu = cpu;
    shared.task[t].base = base;
    shared.task[t].held = held;
    shared.task[t].ready = 1;
}

static void lock(uint32_t d, uint32_t kind, uint32_t ceiling)
{
    shared.lock[d].kind = kind;
    shared.lock[d].ceiling = ceiling;
}

static int clear(void)
{
    memset(&shared, 0, sizeof shared);
    return 0;
}

static void assert_pick(uint32_t cpu, uint32_t who)
{
    assert_int_equal(fw_rt_dispatch(&shared, cpu).task, who);
}

TEST(asked_ceiling_stays)
{
    struct fw_rt_lock_record l = {.ceiling = 40};

    fw_rt_add_user(&l, 12, 0);
    assert_int_equal(l.ceiling, 40);
    assert_int_equal(l.top, 12);
}

TEST(a_low_ceiling_takes_nothing_from_its_task)
{
    lock(0, FW_RT_KIND_IPCP, 20);
    task(0, 0, 25, fw_rt_bit(0) | FW_RT_CAN_LOCK);
    assert_int_equal(fw_rt_rank(&shared, 0), 25);
}

TEST(locks_that_boost_have_no_obstacle)
{
    lock(0, FW_RT_KIND_MPCP, 40);
    task(0, 0, 9, 0);
    task(1, 0, 8, fw_rt_bit(0));
    assert_int_equal(fw_rt_obstacle(&shared, 0, 0).lock, FW_RT_NONE);
    assert_true(fw_rt_can_lock(&shared, 0)); /* nor are they one to others */
    assert_int_equal(fw_rt_next_waiter(&shared, 0), FW_RT_NONE);
}

TEST(the_dead_do_not_run)
{
    assert_pick(0, FW_RT_NONE);
    task(0, 0, 20, 0);
    task(1, 0, 10, 0);
    assert_pick(0, 0);
    shared.task[0].state = FW_RT_DEAD;
    assert_pick(0, 1);
    task(0, 0, 20, fw_rt_bit(0));
    assert_true(!fw_rt_is_waited_for(&shared, 0));
    shared.task[1].base = 20;
    assert_true(fw_rt_is_waited_for(&shared, 0));
    shared.task[1].state = FW_RT_DEAD;
    assert_false(fw_rt_is_waited_for(&shared, 0));
}

/* Under PIP two may wait for each other; others run. */
TEST(circle_runs_nobody_of_it)
{
    uint64_t stuck = 0;

    lock(0, FW_RT_KIND_PIP, 0);
    lock(1, FW_RT_KIND_PIP, 0);
    task(0, 0, 20, fw_rt_bit(0));
    task(1, 0, 15, fw_rt_bit(1));
    task(2, 0, 1, 0);
    shared.task[0].request = 2;
    shared.task[1].request = 1;
    assert_int_equal(fw_rt_acts_for(&shared, 0, 0, &stuck), FW_RT_NONE);
    assert_true(stuck == (fw_rt_bit(0) | fw_rt_bit(1)));
    assert_pick(0, 2);
}

/* Tasks may write nonsense: each has all locks but the one that it asks for. */
TEST(nonsense_is_looked_at_once)
{
    uint32_t n = FW_RT_LOCKS, i;
    uint64_t stuck = 0;

    for (i = 0; i < n; i++) {
        lock(i, FW_RT_KIND_PCP, 40);
        task(i, 0, 1 + i % 30, ((1ull << n) - 1) & ~fw_rt_bit(i));
        shared.task[i].request = i + 1;
    }
    task(n, 0, 1, 0);
    assert_int_equal(fw_rt_acts_for(&shared, 0, 0, &stuck), FW_RT_NONE);
    assert_true((stuck & (stuck - 1)) != 0); /* all on the way, at once */
    assert_int_equal(fw_rt_acts_for(&shared, n - 1, 0, &stuck), FW_RT_NONE);
    assert_pick(0, n);
}

static void assert_index(uint32_t n, uint32_t end)
{
    assert_true(n < end || n == FW_RT_NONE);
}

/* Memory that others have written over: every answer is an index, or nobody, and it comes. */
TEST(nonsense_is_survived)
{
    struct rng rng;

    rng_seed(&rng, 1);
    for (int round = 0; round < 300; round++) {
        uint64_t *word = (uint64_t *)&shared;
        uint32_t t = (uint32_t)rng_next(&rng), d = (uint32_t)rng_next(&rng), ceiling;
        struct fw_rt_pick pick;

        for (size_t i = 0; i < sizeof shared / sizeof *word; i++)
            word[i] = rng_next(&rng) & (round % 3 == 0 ? 3 | 3ull << 32 : ~0ull);
        assert_index(fw_rt_obstacle(&shared, t, d).task, FW_RT_TASKS);
        assert_index(fw_rt_obstacle(&shared, t % 64, d % 63).lock, FW_RT_LOCKS);
        assert_index(fw_rt_system_ceiling(&shared, t, &ceiling).task, FW_RT_TASKS);
        assert_index(fw_rt_ahead(&shared, t).task, FW_RT_TASKS);
        assert_index(fw_rt_next_waiter(&shared, d), FW_RT_TASKS);
        fw_rt_note(&shared, t, rng_next(&rng), 1);
        pick = fw_rt_dispatch(&shared, (uint32_t)round % 4);
        assert_index(pick.task, FW_RT_TASKS);
        assert_index(pick.lender, FW_RT_TASKS);
        (void)fw_rt_can_lock(&shared, t);
        (void)fw_rt_is_waited_for(&shared, t);
    }
}

UNIT_MAIN(clear, NULL)
