/* SPDX-License-Identifier: MIT */
#include "unit.h"
#include "wait_fixture.h"

/* src/ipc/wait_spin.c: spinning comes to an end, and may begin anew. */

static struct fw_ipc_wait_ begin_as(fw_wait_kind kind)
{
    const fw_wait_policy policy = {.kind = kind, .spin_ns = 1000};

    return begin(&policy, NULL);
}

TEST(spins_until_the_budget_is_used_up)
{
    struct fw_ipc_wait_ w = begin_as(FW_WAIT_SPIN_THEN_BLOCK);
    uint32_t before = w.looks;

    while (fw_ipc_wait_spin_(&w)) {
        assert_true(w.looks >= before); /* longer and longer between two looks */
        before = w.looks;
    }
    assert_false(fw_ipc_wait_spin_(&w));
    fw_ipc_wait_again_(&w);
    assert_int_equal(w.looks, 1);
    fw_ipc_wait_end_(&w);
}

TEST(does_not_spin_where_it_is_to_block)
{
    struct fw_ipc_wait_ w = begin_as(FW_WAIT_BLOCK);

    assert_false(fw_ipc_wait_spin_(&w));
    fw_ipc_wait_end_(&w);
}

/* A holder that cannot be is one of whom nothing is known. */
TEST(spins_on_a_holder_that_cannot_be)
{
    struct fw_ipc_wait_ w = begin_as(FW_WAIT_ADAPTIVE);

    while (fw_ipc_wait_spin_on_(&w, FW_IPC_SLOT))
        ;
    fw_ipc_wait_end_(&w);
}

UNIT_MAIN(make, fixture_end)
