/* SPDX-License-Identifier: MIT */
/* rt/decide.h, function by function.  Whole schedules: test/rt/sim. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/rng.h"
#include "rt/decide.h"

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

static int clear(void **state)
{
    (void)state;
    memset(&shared, 0, sizeof shared);
    return 0;
}

static void assert_obstacle(struct fw_rt_obstacle o, uint32_t at, uint32_t of)
{
    assert_int_equal(o.lock, at);
    assert_int_equal(o.task, of);
}

/* --- Users and ceilings ----------------------------------------------------------------------- */

enum { USERS = 4, CPUS = 3, BASES = 4 };

static uint32_t highest(const uint32_t base[], const uint32_t cpu[], uint32_t but)
{
    uint32_t top = 0;

    for (int i = 0; i < USERS; i++) {
        if (cpu[i] != but && base[i] > top)
            top = base[i];
    }
    return top;
}

/* All ways in which four users of four priorities on three CPUs can come, equals included. */
static void ceilings_of_all_users(void **state)
{
    uint32_t base[USERS], cpu[USERS];

    (void)state;
    for (int way = 0; way < 12 * 12 * 12 * 12; way++) {
        struct fw_rt_lock_record l = {0};

        for (int i = 0, rest = way; i < USERS; i++, rest /= CPUS * BASES) {
            cpu[i] = (uint32_t)(rest % CPUS);
            base[i] = (uint32_t)(rest / CPUS % BASES) + 1;
            fw_rt_add_user(&l, base[i], cpu[i]);
        }
        assert_int_equal(l.ceiling, highest(base, cpu, FW_RT_NONE));
        for (uint32_t c = 0; c <= CPUS; c++)
            assert_int_equal(fw_rt_remote_ceiling(&l, c), highest(base, cpu, c));
    }
}

static void asked_ceiling_stays(void **state)
{
    struct fw_rt_lock_record l = {.ceiling = 40};

    (void)state;
    fw_rt_add_user(&l, 12, 0);
    assert_int_equal(l.ceiling, 40);
    assert_int_equal(l.top, 12);
}

/* --- Ranks ------------------------------------------------------------------------------------ */

static void ranks(void **state)
{
    uint64_t young, old;

    (void)state;
    lock(0, FW_RT_KIND_PCP, 30);
    lock(1, FW_RT_KIND_IPCP, 20);
    lock(2, FW_RT_KIND_MPCP, 30);
    lock(3, FW_RT_KIND_FMLP, 30);
    lock(4, FW_RT_KIND_PIP, 30);
    fw_rt_add_user(&shared.lock[2], 9, 1);
    task(0, 0, 5, 0);
    assert_int_equal(fw_rt_rank(&shared, 0), 5);
    shared.task[0].held = fw_rt_bit(0) | fw_rt_bit(4) | FW_RT_CAN_LOCK;
    assert_int_equal(fw_rt_rank(&shared, 0), 5);
    shared.task[0].held |= fw_rt_bit(1);
    assert_int_equal(fw_rt_rank(&shared, 0), 20);
    shared.task[0].held = fw_rt_bit(2);
    assert_true(fw_rt_rank(&shared, 0) == FW_RT_BOOSTED + 9);
    shared.task[0].held = fw_rt_bit(3);
    shared.task[0].stamp = 7;
    old = fw_rt_rank(&shared, 0);
    shared.task[0].stamp = 8;
    young = fw_rt_rank(&shared, 0);
    assert_true(old > young && young > FW_RT_BOOSTED);
    /* A ceiling below its task takes nothing from it. */
    task(0, 0, 25, fw_rt_bit(1));
    assert_int_equal(fw_rt_rank(&shared, 0), 25);
}

/* --- What is in the way ----------------------------------------------------------------------- */

static void obstacle_is_the_highest_ceiling(void **state)
{
    (void)state;
    lock(0, FW_RT_KIND_PCP, 10);
    lock(1, FW_RT_KIND_PCP, 20);
    lock(2, FW_RT_KIND_PCP, 40);
    lock(3, FW_RT_KIND_MPCP, 49);
    task(0, 0, 15, 0);
    assert_obstacle(fw_rt_obstacle(&shared, 0, 2), FW_RT_NONE, FW_RT_NONE);
    task(1, 0, 3, fw_rt_bit(0));
    task(3, 0, 1, fw_rt_bit(3));
    assert_obstacle(fw_rt_obstacle(&shared, 0, 2), FW_RT_NONE, FW_RT_NONE);
    assert_true(fw_rt_can_lock(&shared, 0));
    task(2, 0, 12, fw_rt_bit(1));
    assert_obstacle(fw_rt_obstacle(&shared, 0, 2), 1, 2);
    assert_false(fw_rt_can_lock(&shared, 0));
    /* As urgent as the ceiling is not enough; its own lock is no obstacle; nor another CPU's. */
    shared.task[0].base = 20;
    assert_obstacle(fw_rt_obstacle(&shared, 0, 2), 1, 2);
    shared.task[0].base = 21;
    assert_obstacle(fw_rt_obstacle(&shared, 0, 2), FW_RT_NONE, FW_RT_NONE);
    assert_obstacle(fw_rt_obstacle(&shared, 2, 0), FW_RT_NONE, FW_RT_NONE);
    task(2, 1, 12, fw_rt_bit(1));
    shared.task[0].base = 15;
    assert_obstacle(fw_rt_obstacle(&shared, 0, 2), FW_RT_NONE, FW_RT_NONE);
}

static void obstacle_by_inheritance_is_the_holder(void **state)
{
    (void)state;
    lock(0, FW_RT_KIND_PIP, 0);
    task(0, 0, 9, 0);
    task(1, 3, 1, fw_rt_bit(1));
    assert_obstacle(fw_rt_obstacle(&shared, 0, 0), FW_RT_NONE, FW_RT_NONE);
    shared.task[1].held |= fw_rt_bit(0);
    assert_obstacle(fw_rt_obstacle(&shared, 0, 0), 0, 1);
}

static void lines_have_no_obstacle(void **state)
{
    (void)state;
    lock(0, FW_RT_KIND_MPCP, 40);
    task(0, 0, 9, 0);
    task(1, 0, 8, fw_rt_bit(0));
    assert_obstacle(fw_rt_obstacle(&shared, 0, 0), FW_RT_NONE, FW_RT_NONE);
}

static void ahead_are_sections_that_outrank(void **state)
{
    (void)state;
    lock(0, FW_RT_KIND_IPCP, 20);
    lock(1, FW_RT_KIND_PCP, 40);
    lock(2, FW_RT_KIND_MPCP, 40);
    task(0, 0, 21, 0);
    task(1, 0, 5, fw_rt_bit(0) | fw_rt_bit(1));
    assert_obstacle(fw_rt_ahead(&shared, 0), FW_RT_NONE, FW_RT_NONE);
    shared.task[0].base = 20;
    assert_obstacle(fw_rt_ahead(&shared, 0), 0, 1);
    task(2, 0, 1, fw_rt_bit(2));
    assert_obstacle(fw_rt_ahead(&shared, 0), 2, 2);
    shared.task[2].cpu = 1;
    assert_obstacle(fw_rt_ahead(&shared, 0), 0, 1);
    assert_obstacle(fw_rt_ahead(&shared, 1), FW_RT_NONE, FW_RT_NONE);
}

/* --- Queues ----------------------------------------------------------------------------------- */

static void next_in_queue(void **state)
{
    (void)state;
    lock(0, FW_RT_KIND_MPCP, 0);
    lock(1, FW_RT_KIND_FMLP, 0);
    task(3, 0, 10, 0);
    task(5, 1, 30, 0);
    task(6, 2, 20, 0);
    shared.task[3].ticket = 2;
    shared.task[5].ticket = 3;
    shared.task[6].ticket = 1;
    assert_int_equal(fw_rt_next_waiter(&shared, 0), FW_RT_NONE);
    shared.lock[0].waiters = shared.lock[1].waiters = fw_rt_bit(3) | fw_rt_bit(5) | fw_rt_bit(6);
    assert_int_equal(fw_rt_next_waiter(&shared, 0), 5);
    assert_int_equal(fw_rt_next_waiter(&shared, 1), 6);
    shared.lock[0].waiters = shared.lock[1].waiters = fw_rt_bit(3);
    assert_int_equal(fw_rt_next_waiter(&shared, 0), 3);
    assert_int_equal(fw_rt_next_waiter(&shared, 1), 3);
}

/* Observation 4 and the repeated acquisition: when a request gets a new stamp. */
static void stamps(void **state)
{
    (void)state;
    task(0, 2, 5, 0);
    fw_rt_note(&shared, 0, fw_rt_bit(1) | FW_RT_CAN_LOCK, 0);
    assert_true(shared.task[0].held == fw_rt_bit(1));
    assert_true(shared.task[0].stamp == 1 && shared.cpu[2].clock == 1);
    fw_rt_note(&shared, 0, fw_rt_bit(1), 0); /* still the same section */
    assert_true(shared.task[0].stamp == 1);
    fw_rt_note(&shared, 0, fw_rt_bit(1), 1); /* left, and taken anew */
    assert_true(shared.task[0].stamp == 2);
    fw_rt_note(&shared, 0, fw_rt_bit(2), 1); /* another one */
    assert_true(shared.task[0].stamp == 3);
    fw_rt_note(&shared, 0, 0, 1);
    assert_true(shared.task[0].stamp == 3 && shared.task[0].held == 0);
}

/* --- Who runs --------------------------------------------------------------------------------- */

static void assert_pick(uint32_t cpu, uint32_t who, uint32_t granted, uint32_t lender)
{
    struct fw_rt_pick pick = fw_rt_dispatch(&shared, cpu);

    assert_int_equal(pick.task, who);
    assert_int_equal(pick.granted, granted);
    assert_int_equal(pick.lender, lender);
}

static void dispatch_by_rank(void **state)
{
    (void)state;
    lock(0, FW_RT_KIND_IPCP, 20);
    assert_pick(0, FW_RT_NONE, 0, FW_RT_NONE);
    task(0, 0, 20, 0);
    task(1, 0, 5, fw_rt_bit(0));
    task(2, 0, 21, 0);
    task(3, 1, 40, 0);
    assert_pick(0, 2, 0, FW_RT_NONE);
    shared.task[2].ready = 0;
    assert_pick(0, 1, 0, FW_RT_NONE); /* equal ranks: the section */
    shared.task[1].ready = 0;
    assert_pick(0, 0, 0, FW_RT_NONE);
    shared.task[0].state = FW_RT_DEAD;
    assert_pick(0, FW_RT_NONE, 0, FW_RT_NONE);
}

static void dispatch_inherits_and_grants(void **state)
{
    (void)state;
    lock(0, FW_RT_KIND_PCP, 20);
    task(0, 0, 20, 0);
    task(1, 0, 5, fw_rt_bit(0));
    task(2, 0, 10, 0);
    shared.task[0].request = 1;
    assert_pick(0, 1, 0, 0);
    assert_int_equal(shared.task[0].request, 1);
    shared.task[1].ready = 0; /* sleeps in its section: nobody can act for task 0 */
    assert_pick(0, 2, 0, FW_RT_NONE);
    shared.task[1].ready = 1;
    shared.task[1].held = 0;
    assert_pick(0, 0, 1, FW_RT_NONE);
    assert_int_equal(shared.task[0].request, 0);
    assert_true(shared.task[0].held == fw_rt_bit(0));
}

/* Under PIP two may wait for each other; others run. */
static void circle_runs_nobody_of_it(void **state)
{
    uint64_t stuck = 0;

    (void)state;
    lock(0, FW_RT_KIND_PIP, 0);
    lock(1, FW_RT_KIND_PIP, 0);
    task(0, 0, 20, fw_rt_bit(0));
    task(1, 0, 15, fw_rt_bit(1));
    task(2, 0, 1, 0);
    shared.task[0].request = 2;
    shared.task[1].request = 1;
    assert_int_equal(fw_rt_acts_for(&shared, 0, 0, &stuck), FW_RT_NONE);
    assert_true(stuck == (fw_rt_bit(0) | fw_rt_bit(1)));
    assert_pick(0, 2, 0, FW_RT_NONE);
}

/* Tasks may write nonsense: each has all locks but the one that it asks for. */
static void nonsense_is_looked_at_once(void **state)
{
    uint32_t n = FW_RT_LOCKS, i;
    uint64_t stuck = 0;

    (void)state;
    for (i = 0; i < n; i++) {
        lock(i, FW_RT_KIND_PCP, 40);
        task(i, 0, 1 + i % 30, ((1ull << n) - 1) & ~fw_rt_bit(i));
        shared.task[i].request = i + 1;
    }
    task(n, 0, 1, 0);
    assert_int_equal(fw_rt_acts_for(&shared, 0, 0, &stuck), FW_RT_NONE);
    assert_true((stuck & (stuck - 1)) != 0); /* all on the way, at once */
    assert_int_equal(fw_rt_acts_for(&shared, n - 1, 0, &stuck), FW_RT_NONE);
    assert_pick(0, n, 0, FW_RT_NONE);
}

static void unlock_is_awaited(void **state)
{
    (void)state;
    lock(0, FW_RT_KIND_FMLP, 0);
    lock(1, FW_RT_KIND_FMLP, 0);
    task(0, 0, 10, fw_rt_bit(0));
    task(1, 0, 5, 0);
    assert_false(fw_rt_is_waited_for(&shared, 0));
    task(2, 1, 20, 0); /* on another CPU */
    assert_false(fw_rt_is_waited_for(&shared, 0));
    task(3, 0, 20, 0);
    assert_true(fw_rt_is_waited_for(&shared, 0));
    shared.task[3].ready = 0;
    assert_false(fw_rt_is_waited_for(&shared, 0));
    shared.task[1].held = fw_rt_bit(1); /* less urgent, but in a section */
    assert_true(fw_rt_is_waited_for(&shared, 0));
    shared.task[0].held = FW_RT_CAN_LOCK;
    assert_false(fw_rt_is_waited_for(&shared, 0));
}

/* --- Nonsense --------------------------------------------------------------------------------- */

static void assert_index(uint32_t n, uint32_t end)
{
    assert_true(n < end || n == FW_RT_NONE);
}

/* Memory that others have written over: every answer is an index, or nobody, and it comes. */
static void nonsense_is_survived(void **state)
{
    struct rng rng;

    (void)state;
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

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(ceilings_of_all_users),
        cmocka_unit_test(asked_ceiling_stays),
        cmocka_unit_test_setup(ranks, clear),
        cmocka_unit_test_setup(obstacle_is_the_highest_ceiling, clear),
        cmocka_unit_test_setup(obstacle_by_inheritance_is_the_holder, clear),
        cmocka_unit_test_setup(lines_have_no_obstacle, clear),
        cmocka_unit_test_setup(ahead_are_sections_that_outrank, clear),
        cmocka_unit_test_setup(next_in_queue, clear),
        cmocka_unit_test_setup(stamps, clear),
        cmocka_unit_test_setup(dispatch_by_rank, clear),
        cmocka_unit_test_setup(dispatch_inherits_and_grants, clear),
        cmocka_unit_test_setup(circle_runs_nobody_of_it, clear),
        cmocka_unit_test_setup(nonsense_is_looked_at_once, clear),
        cmocka_unit_test_setup(unlock_is_awaited, clear),
        cmocka_unit_test_setup(nonsense_is_survived, clear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
