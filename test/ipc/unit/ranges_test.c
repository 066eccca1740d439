/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#include "ipc/region/ranges.h"
#include "unit.h"

/* src/ipc/region/ranges.c: a table of addresses, with regions that nobody accesses. */

#ifdef __SANITIZE_THREAD__
enum { LOOKUPS = 200000 }; /* slow */
#else
enum { LOOKUPS = 1000000 };
#endif

static struct fw_ranges_ table;

static char *at(uintptr_t address)
{
    return (char *)address;
}

static void add(uintptr_t base, size_t size, uint64_t value)
{
    uint32_t slot;

    assert_int_equal(fw_range_reserve_(&table, at(base), size, &slot), 0);
    fw_range_publish_(&table, slot, value, ~value);
}

static void drop(uintptr_t base)
{
    uint32_t slot = fw_range_at_(&table, at(base));

    assert_int_not_equal(slot, FW_RANGES);
    fw_range_remove_(&table, slot);
}

/* The range with this address; false: there is none. */
static bool look_up(uintptr_t address, struct fw_range_ *range)
{
    uint64_t generation;
    uint32_t slot;

    do {
        slot = fw_range_find_(&table, at(address), &generation);
        if (slot == FW_RANGES)
            return false;
        range->base = fw_load64_relaxed(&table.slots[slot].base);
        range->size = fw_load64_relaxed(&table.slots[slot].size);
        range->value[0] = fw_load64_relaxed(&table.slots[slot].value[0]);
        range->value[1] = fw_load64_relaxed(&table.slots[slot].value[1]);
    } while (!fw_range_is_same_(&table, slot, generation));
    return true;
}

TEST(found_from_first_byte_to_last)
{
    struct fw_range_ range;
    uint32_t slot;

    assert_int_equal(fw_range_reserve_(&table, at(0x10000), 0x1000, &slot), 0);
    assert_false(look_up(0x10000, &range)); /* not yet */
    assert_int_equal(fw_range_at_(&table, at(0x10000)), FW_RANGES);
    fw_range_publish_(&table, slot, 24, 64);
    assert_false(look_up(0xffff, &range));
    assert_true(look_up(0x10000, &range));
    assert_true(look_up(0x10fff, &range));
    assert_false(look_up(0x11000, &range));
    assert_int_equal(range.base, 0x10000);
    assert_int_equal(range.size, 0x1000);
    assert_int_equal(range.value[0], 24);
    assert_int_equal(range.value[1], 64);
    assert_int_equal(fw_range_at_(&table, at(0x10008)), FW_RANGES);
    drop(0x10000);
    assert_int_equal(fw_range_at_(&table, at(0x10000)), FW_RANGES);
    assert_false(look_up(0x10000, &range));
}

TEST(ranges_do_not_overlap)
{
    uint32_t slot;

    add(0x10000, 0x1000, 24);
    assert_int_equal(fw_range_reserve_(&table, at(0x10fff), 1, &slot), EBUSY);
    assert_int_equal(fw_range_reserve_(&table, at(0xf000), 0x1001, &slot), EBUSY);
    assert_int_equal(fw_range_reserve_(&table, at(0xf000), 0x10000, &slot), EBUSY);
    assert_int_equal(fw_range_reserve_(&table, at(0xf000), 0x1000, &slot), 0);
    assert_int_equal(fw_range_reserve_(&table, at(0xf000), 0x1000, &slot), EBUSY);
    fw_range_cancel_(&table, slot);
    assert_int_equal(fw_range_reserve_(&table, at(0xf000), 0x1000, &slot), 0);
    fw_range_cancel_(&table, slot);
    drop(0x10000);
}

TEST(there_is_an_end)
{
    uint32_t slot;
    uintptr_t i;

    for (i = 1; i <= FW_RANGES; i++)
        add(i << 20, 64, 24);
    assert_int_equal(fw_range_reserve_(&table, at(i << 20), 64, &slot), EMFILE);
    assert_int_equal(fw_range_reserve_(&table, at(1 << 20), 64, &slot), EBUSY);
    drop(5 << 20);
    assert_int_equal(fw_range_reserve_(&table, at(i << 20), 64, &slot), 0);
    fw_range_cancel_(&table, slot);
    for (i = 1; i <= FW_RANGES; i++)
        if (i != 5)
            drop(i << 20);
}

TEST(a_child_keeps_regions_and_drops_what_was_reserved)
{
    struct fw_range_ range;
    uint32_t slot;

    add(0x10000, 0x1000, 24);
    assert_int_equal(fw_range_reserve_(&table, at(0x20000), 0x1000, &slot), 0);
    assert_int_equal(fw_ranges_after_fork_(&table), 1);
    assert_true(look_up(0x10000, &range));
    assert_int_equal(fw_range_reserve_(&table, at(0x20000), 0x1000, &slot), 0);
    fw_range_cancel_(&table, slot);
    drop(0x10000);
    assert_int_equal(fw_ranges_after_fork_(&table), 0);
}

/*
 * Two ranges take turns in one slot.  The base of the small one and the size of the large one would
 * make a range with the object in it; neither has it by itself.
 */
#define SMALL UINT64_C(0x10000000)
#define OBJECT UINT64_C(0x18000000)
#define LARGE UINT64_C(0x40000000)

static bool is_over;

static void *take_turns(void *arg)
{
    (void)arg;
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        add(SMALL, 0x1000, 24);
        drop(SMALL);
        add(LARGE, 0x10000000, 25);
        drop(LARGE);
    }
    return NULL;
}

TEST(never_a_mixture)
{
    struct fw_range_ range;
    pthread_t thread;
    unsigned found = 0;

    is_over = false;
    assert_int_equal(pthread_create(&thread, NULL, take_turns, NULL), 0);
    for (unsigned i = 0; i < LOOKUPS; i++) {
        assert_false(look_up(OBJECT, &range));
        if (look_up(LARGE + 8, &range)) {
            assert_int_equal(range.size, 0x10000000);
            assert_int_equal(range.value[0], 25);
            assert_int_equal(range.value[1], ~UINT64_C(25));
            found++;
        }
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    print_message("found in %u of %u look-ups\n", found, LOOKUPS);
}

UNIT_MAIN(NULL, NULL)
