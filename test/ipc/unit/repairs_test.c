/* SPDX-License-Identifier: MIT */
#include "fixture.h"
#include "ipc/region/repairs.h"
#include "unit.h"

/* src/ipc/region/repairs.c: which function repairs which lock. */

static int repair(void *arg, const fw_ipc_death *death)
{
    (void)arg;
    (void)death;
    return 0;
}

TEST(found_by_its_lock_only)
{
    struct fw_ipc_repair_ found = {0};
    int locks[2] = {0, 0}, arg;

    assert_false(fw_ipc_repair_of_(&locks[0], &found));
    assert_int_equal(fw_ipc_on_death_(&locks[0], repair, &arg), 0);
    assert_false(fw_ipc_repair_of_(&locks[1], &found));
    assert_true(fw_ipc_repair_of_(&locks[0], &found));
    assert_ptr_equal(found.call, repair);
    assert_ptr_equal(found.arg, &arg);
    assert_int_equal(fw_ipc_on_death_(&locks[0], repair, NULL), 0); /* instead of the first */
    assert_true(fw_ipc_repair_of_(&locks[0], &found));
    assert_null(found.arg);
    assert_int_equal(fw_ipc_on_death_(&locks[0], NULL, NULL), 0);
    assert_false(fw_ipc_repair_of_(&locks[0], &found));
    assert_int_equal(fw_ipc_on_death_(&locks[0], NULL, NULL), 0);
}

TEST(forgotten_with_their_region)
{
    struct fixture a = fixture_make(4), b = fixture_make(4);
    const void *in_a[] = {fixture_object(&a, 0), fixture_object(&a, 1)};
    const void *in_b = fixture_object(&b, 0);
    struct fw_ipc_repair_ found;

    assert_int_equal(fw_ipc_on_death_(in_a[0], repair, NULL), 0);
    assert_int_equal(fw_ipc_on_death_(in_b, repair, NULL), 0);
    assert_int_equal(fw_ipc_on_death_(in_a[1], repair, NULL), 0);
    fw_ipc_forget_repairs_(a.mapping);
    assert_false(fw_ipc_repair_of_(in_a[0], &found));
    assert_false(fw_ipc_repair_of_(in_a[1], &found));
    assert_true(fw_ipc_repair_of_(in_b, &found));
    fw_ipc_forget_repairs_(b.mapping);
    assert_false(fw_ipc_repair_of_(in_b, &found));
    fixture_unmake(&a);
    fixture_unmake(&b);
}

UNIT_MAIN(NULL, NULL)
