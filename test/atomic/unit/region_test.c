/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#include "region.h"
#include "test/support/testing.h"

/* atomic/ipc/region.c: the slots, with regions that nobody looks into. */

#ifdef __SANITIZE_THREAD__
enum { LOOKS = 200000 }; /* is slow at them */
#else
enum { LOOKS = 1000000 };
#endif
enum { HERE = 1 };

static char *place(uintptr_t address)
{
    return (char *)address;
}

static unsigned add(uintptr_t base, size_t size, size_t largest)
{
    unsigned slot;

    assert_int_equal(fw_region_reserve_(place(base), size, HERE, &slot), 0);
    fw_region_publish_(slot, largest, 64);
    return slot;
}

static void found_from_first_byte_to_last(void **state)
{
    struct fw_region_ region;
    unsigned slot;

    (void)state;
    assert_false(fw_region_of_(place(0x10000), &region));
    assert_int_equal(fw_region_reserve_(place(0x10000), 0x1000, HERE, &slot), 0);
    assert_false(fw_region_of_(place(0x10000), &region)); /* not yet */
    fw_region_publish_(slot, 24, 64);
    assert_false(fw_region_of_(place(0xffff), &region));
    assert_true(fw_region_of_(place(0x10000), &region));
    assert_true(fw_region_of_(place(0x10fff), &region));
    assert_false(fw_region_of_(place(0x11000), &region));
    assert_ptr_equal(region.base, place(0x10000));
    assert_int_equal(region.size, 0x1000);
    assert_int_equal(region.largest, 24);
    assert_int_equal(region.stripe_size, 64);
    assert_int_equal(fw_region_remove_(place(0x10008)), ENOENT);
    assert_int_equal(fw_region_remove_(place(0x10000)), 0);
    assert_int_equal(fw_region_remove_(place(0x10000)), ENOENT);
    assert_false(fw_region_of_(place(0x10000), &region));
}

static void regions_do_not_overlap(void **state)
{
    unsigned slot;

    (void)state;
    add(0x10000, 0x1000, 24);
    assert_int_equal(fw_region_reserve_(place(0x10fff), 1, HERE, &slot), EBUSY);
    assert_int_equal(fw_region_reserve_(place(0xf000), 0x1001, HERE, &slot), EBUSY);
    assert_int_equal(fw_region_reserve_(place(0xf000), 0x10000, HERE, &slot), EBUSY);
    assert_int_equal(fw_region_reserve_(place(0xf000), 0x1000, HERE, &slot), 0);
    assert_int_equal(fw_region_reserve_(place(0xf000), 0x1000, HERE, &slot), EBUSY);
    fw_region_cancel_(slot);
    assert_int_equal(fw_region_reserve_(place(0xf000), 0x1000, HERE, &slot), 0);
    fw_region_cancel_(slot);
    assert_int_equal(fw_region_remove_(place(0x10000)), 0);
}

static void there_is_an_end(void **state)
{
    unsigned slot;
    uintptr_t i;

    (void)state;
    for (i = 1; i <= FW_IPC_ATOMIC_REGIONS; i++)
        add(i << 20, 64, 24);
    assert_int_equal(fw_region_reserve_(place(i << 20), 64, HERE, &slot), EMFILE);
    assert_int_equal(fw_region_remove_(place(5 << 20)), 0);
    assert_int_equal(fw_region_reserve_(place(i << 20), 64, HERE, &slot), 0);
    fw_region_cancel_(slot);
    for (i = 1; i <= FW_IPC_ATOMIC_REGIONS; i++)
        assert_int_equal(fw_region_remove_(place(i << 20)), i == 5 ? ENOENT : 0);
}

/*
 * Two regions take turns in one slot.  The beginning of the small one and the size of the large one
 * would make a region with the object in it, and so would neither by itself.
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
        assert_int_equal(fw_region_remove_(place(SMALL)), 0);
        add(LARGE, 0x10000000, 25);
        assert_int_equal(fw_region_remove_(place(LARGE)), 0);
    }
    return NULL;
}

static void never_a_mixture(void **state)
{
    struct fw_region_ region;
    pthread_t thread;
    unsigned found = 0;

    (void)state;
    is_over = false;
    assert_int_equal(pthread_create(&thread, NULL, take_turns, NULL), 0);
    for (unsigned i = 0; i < LOOKS; i++) {
        assert_false(fw_region_of_(place(OBJECT), &region));
        if (fw_region_of_(place(LARGE + 8), &region)) {
            assert_int_equal(region.largest, 25);
            assert_int_equal(region.size, 0x10000000);
            found++;
        }
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    print_message("found in %u of %u looks\n", found, LOOKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_from_first_byte_to_last),
        cmocka_unit_test(regions_do_not_overlap),
        cmocka_unit_test(there_is_an_end),
        cmocka_unit_test(never_a_mixture),
    };
    return cmocka_run_group_tests_name("region", tests, NULL, NULL);
}
