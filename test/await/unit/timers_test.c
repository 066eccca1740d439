/* SPDX-License-Identifier: MIT */
#include "await/timers.h"
#include "test/support/unit.h"

#include <stdlib.h>

/* src/await/timers.c: the heap. */

enum { MANY = 20000 };

static fw_await *ops;
static struct fw_timers_ heap;

static int make(void)
{
    heap = (struct fw_timers_){.clock = CLOCK_MONOTONIC, .fd = -1};
    ops = calloc(MANY, sizeof *ops);
    return ops == NULL;
}

static void unmake(void)
{
    free(ops);
}

static void insert(unsigned i, uint64_t deadline)
{
    ops[i].more_.deadline = deadline;
    fw_timers_insert_(&heap, &ops[i]);
}

static uint64_t take_first(void)
{
    uint64_t first = fw_timers_earliest_(&heap);

    fw_timers_remove_(&heap, heap.first);
    return first;
}

TEST(an_empty_heap_has_no_deadline)
{
    assert_true(fw_timers_earliest_(&heap) == FW_TIMERS_NEVER_);
    fw_timers_arm_(&heap, 5); /* no timer: nothing to set */
    assert_true(heap.armed == 0);
}

TEST(deadlines_come_out_in_order)
{
    uint64_t last = 0;

    srand(7);
    for (unsigned i = 0; i < MANY; i++)
        insert(i, (uint64_t)rand() % 1000);
    for (unsigned i = 0; i < MANY; i++) {
        uint64_t next = take_first();

        assert_true(next >= last);
        last = next;
    }
    assert_null(heap.first);
}

TEST(equal_deadlines_stay_in_order_while_none_is_removed)
{
    insert(0, 3);
    insert(1, 3);
    assert_ptr_equal(heap.first, &ops[0]);
}

TEST(any_one_can_be_removed)
{
    static bool is_in[MANY];
    unsigned n = 0;
    uint64_t last = 0;

    srand(11);
    for (unsigned round = 0; round < 4 * MANY; round++) {
        unsigned i = (unsigned)rand() % MANY;

        if (is_in[i])
            fw_timers_remove_(&heap, &ops[i]);
        else
            insert(i, (uint64_t)rand() % 5000);
        n += is_in[i] ? -1u : 1u;
        is_in[i] = !is_in[i];
    }
    for (; n > 0; n--) {
        uint64_t next = take_first();

        assert_true(next >= last);
        last = next;
    }
    assert_null(heap.first);
}

TEST(deadlines_in_order_cost_no_more)
{
    for (unsigned i = 0; i < MANY; i++)
        insert(i, i);
    for (unsigned i = 0; i < MANY; i += 2)
        fw_timers_remove_(&heap, &ops[i]);
    for (unsigned i = 1; i < MANY; i += 2)
        assert_true(take_first() == i);
    assert_null(heap.first);
}

TEST(times_that_do_not_fit_are_the_last_or_the_first)
{
    struct timespec before = {-1, 999999999}, far = {INT64_MAX, 5}, at = {2, 7};

    assert_true(fw_timers_ns_(&before) == 0);
    assert_true(fw_timers_ns_(&far) == FW_TIMERS_NEVER_ - 1);
    assert_true(fw_timers_ns_(&at) == UINT64_C(2000000007));
}

UNIT_MAIN(make, unmake)
