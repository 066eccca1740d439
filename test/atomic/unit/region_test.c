/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "region.h"
#include "test/support/unit.h"

/* atomic/ipc/region.c: regions that nobody accesses.  (The table: test/ipc/unit/ranges_test.c) */

enum { HERE = 1 };

static char *at(uintptr_t address)
{
    return (char *)address;
}

TEST(found_from_first_byte_to_last)
{
    struct fw_region_ region;
    uint32_t slot;

    assert_false(fw_region_of_(at(0x10000), &region));
    assert_int_equal(fw_region_reserve_(at(0x10000), 0x1000, HERE, &slot), 0);
    assert_false(fw_region_of_(at(0x10000), &region)); /* not yet */
    fw_region_publish_(slot, 24, 64);
    assert_false(fw_region_of_(at(0xffff), &region));
    assert_true(fw_region_of_(at(0x10000), &region));
    assert_true(fw_region_of_(at(0x10fff), &region));
    assert_false(fw_region_of_(at(0x11000), &region));
    assert_ptr_equal(region.base, at(0x10000));
    assert_int_equal(region.size, 0x1000);
    assert_int_equal(region.largest, 24);
    assert_int_equal(region.stripe_size, 64);
    assert_int_equal(fw_region_remove_(at(0x10008)), ENOENT);
    assert_int_equal(fw_region_remove_(at(0x10000)), 0);
    assert_int_equal(fw_region_remove_(at(0x10000)), ENOENT);
    assert_false(fw_region_of_(at(0x10000), &region));
}

TEST(regions_do_not_overlap)
{
    uint32_t slot;

    assert_int_equal(fw_region_reserve_(at(0x10000), 0x1000, HERE, &slot), 0);
    assert_int_equal(fw_region_reserve_(at(0xf000), 0x1001, HERE, &slot), EBUSY);
    fw_region_cancel_(slot);
    assert_int_equal(fw_region_reserve_(at(0xf000), 0x1001, HERE, &slot), 0);
    fw_region_cancel_(slot);
}

UNIT_MAIN(NULL, NULL)
