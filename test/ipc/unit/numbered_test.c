/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <unistd.h>

#include <furwock/ipc/named.h>

#include "region_fixture.h"
#include "unit.h"

/* src/ipc/numbered.c: objects that are found have the numbers that were asked for, or EPROTO. */

enum { MAKE = FW_REGION_CREATE };
#define FAIL FW_IPC_BARRIER_FAIL
#define GO_ON FW_IPC_BARRIER_GO_ON

TEST(semaphores)
{
    fw_ipc_sem *s, *again;
    void *zeroes;

    assert_int_equal(fw_region_sem(region, "s", 2, 10, 0, &s), ENOENT);
    assert_null(s);
    assert_int_equal(fw_region_sem(region, "s", 2, 0, MAKE, &s), EINVAL);
    assert_int_equal(fw_region_sem(region, "s", 2, 10, MAKE, &s), 0);
    assert_int_equal(fw_region_sem(region, "s", 2, 11, MAKE, &again), EPROTO);
    assert_null(again);
    assert_int_equal(fw_region_sem(region, "s", 2, 9, 0, &again), EPROTO);
    assert_int_equal(fw_region_sem(region, "s", 5, 10, MAKE, &again), 0); /* units come and go */
    assert_ptr_equal(again, s);
    assert_int_equal(fw_ipc_sem_value(s), 2);
    assert_int_equal(fw_region_sem(region, "s", 0, 0, 0, &again), 0);
    assert_int_equal(fw_region_sem(region, "s", 0, 0, MAKE, &again), 0);
    assert_int_equal(fw_region_object(region, "z", FW_REGION_SEM, sizeof *s, MAKE, &zeroes), 0);
    assert_int_equal(fw_region_sem(region, "z", 0, FW_IPC_SEM_MAX, 0, &again), 0);
    assert_int_equal(fw_region_sem(region, "z", 0, 1, 0, &again), EPROTO);
}

TEST(units)
{
    fw_ipc_permits *u, *again;

    assert_int_equal(fw_region_permits(region, "u", 0, MAKE, &u), EINVAL);
    assert_int_equal(fw_region_permits(region, "u", 4, MAKE, &u), 0);
    assert_int_equal(fw_region_permits(region, "u", 5, MAKE, &again), EPROTO);
    assert_int_equal(fw_region_permits(region, "u", 3, MAKE, &again), EPROTO);
    assert_null(again);
    assert_int_equal(fw_region_permits(region, "u", 4, 0, &again), 0);
    assert_int_equal(fw_region_permits(region, "u", 0, 0, &again), 0);
    assert_ptr_equal(again, u);
}

TEST(barriers)
{
    fw_ipc_barrier *b, *again;

    assert_int_equal(fw_region_barrier(region, "b", 0, FAIL, MAKE, &b), EINVAL);
    assert_int_equal(fw_region_barrier(region, "b", 5, FAIL, MAKE, &b), 0);
    assert_int_equal(fw_region_barrier(region, "b", 3, FAIL, MAKE, &again), EPROTO);
    assert_int_equal(fw_region_barrier(region, "b", 6, FAIL, MAKE, &again), EPROTO);
    assert_int_equal(fw_region_barrier(region, "b", 5, GO_ON, MAKE, &again), EPROTO);
    assert_null(again);
    assert_int_equal(fw_region_barrier(region, "b", 5, FAIL, 0, &again), 0);
    assert_int_equal(fw_region_barrier(region, "b", 0, GO_ON, 0, &again), 0);
    assert_ptr_equal(again, b);
}

TEST(journals)
{
    fw_ipc_journal *j, *again;

    assert_int_equal(fw_region_journal(region, "j", 0, MAKE, &j), EINVAL);
    assert_int_equal(fw_region_journal(region, "j", SIZE_MAX, MAKE, &j), EINVAL);
    assert_int_equal(fw_region_journal(region, "j", 250, MAKE, &j), 0);
    assert_int_equal(fw_region_journal(region, "j", 256, 0, &again), 0); /* rounded up */
    assert_int_equal(fw_region_journal(region, "j", 257, MAKE, &again), EPROTO);
    assert_int_equal(fw_region_journal(region, "j", 128, MAKE, &again), EPROTO);
    assert_null(again);
    assert_int_equal(fw_region_journal(region, "j", 0, 0, &again), 0);
    assert_ptr_equal(again, j);
}

TEST(of_another_kind)
{
    fw_ipc_journal *j;
    fw_ipc_barrier *b;
    fw_ipc_permits *u;
    fw_ipc_sem *s;

    assert_int_equal(fw_region_sem(region, "x", 0, 1, MAKE, &s), 0);
    assert_int_equal(fw_region_permits(region, "x", 0, 0, &u), EPROTO);
    assert_int_equal(fw_region_barrier(region, "x", 0, FAIL, 0, &b), EPROTO);
    assert_int_equal(fw_region_journal(region, "x", 0, 0, &j), EPROTO);
    assert_int_equal(fw_region_permits(region, "y", 1, MAKE, &u), 0);
    assert_int_equal(fw_region_sem(region, "y", 0, 0, 0, &s), EPROTO);
}

UNIT_MAIN(set_up, tear_down)
