/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <sys/wait.h>

#include "fixture.h"
#include "ipc/region/head.h"
#include "ipc/region/mapping.h"
#include "unit.h"

/* src/ipc/region/mapping.c: where this process has its regions. */

TEST(finds_the_region_of_an_address)
{
    struct fixture a = fixture_make(4), b = fixture_make(8);

    assert_ptr_equal(fw_ipc_mapping_of_(a.base), a.mapping);
    assert_ptr_equal(fw_ipc_mapping_of_(fixture_object(&b, 0)), b.mapping);
    assert_ptr_equal(fw_ipc_mapping_of_(a.base + a.size - 8), a.mapping);
    assert_ptr_not_equal(fw_ipc_mapping_of_(a.base + a.size), a.mapping);
    assert_null(fw_ipc_mapping_of_(&a));
    assert_null(fw_ipc_mapping_of_(NULL));
    assert_int_equal(b.mapping->participant_count, 8);
    fixture_unmake(&a);
    fixture_unmake(&b);
}

TEST(forgets_a_region_that_was_closed)
{
    struct fixture g = fixture_make(4);
    const struct fw_ipc_mapping_ *mapping = g.mapping;
    uint64_t epoch = fw_ipc_epoch_(), generation = mapping->generation;
    char *base = g.base;

    fixture_unmake(&g);
    assert_null(fw_ipc_mapping_of_(base));
    assert_true(fw_ipc_epoch_() > epoch);
    g = fixture_make(4);
    assert_ptr_equal(g.mapping, mapping);
    assert_true(g.mapping->generation > generation);
    fixture_unmake(&g);
}

TEST(addresses_and_offsets)
{
    struct fixture g = fixture_make(4);
    void *object = fixture_object(&g, 3);

    assert_ptr_equal(fw_ipc_address_(g.mapping, fw_ipc_offset_(g.mapping, object), 256), object);
    assert_int_equal(fw_ipc_offset_(g.mapping, &g), 0);
    assert_null(fw_ipc_address_(g.mapping, 0, 8));
    assert_null(fw_ipc_address_(g.mapping, g.size - 8, 16));
    assert_null(fw_ipc_address_(g.mapping, UINT64_MAX, 16));
    assert_null(fw_ipc_address_(g.mapping, 64, SIZE_MAX));
    fixture_unmake(&g);
}

UNIT_MAIN(NULL, NULL)
