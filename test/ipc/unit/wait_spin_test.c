/* SPDX-License-Identifier: MIT */
#include "test/support/testing.h"
#include "wait_fixture.h"

/* src/ipc/wait_spin.c: spinning comes to an end, and may begin anew. */

static struct fw_ipc_wait_ begin_as(fw_wait_kind kind)
{
    const fw_wait_policy policy = {.kind = kind, .spin_ns = 1000};

    return begin(&policy, NULL);
}

static void spins_until_the_budget_is_used_up(void **state)
{
    struct fw_ipc_wait_ w = begin_as(FW_WAIT_SPIN_THEN_BLOCK);
    uint32_t before = w.looks;

    (void)state;
    while (fw_ipc_wait_spin_(&w)) {
        assert_true(w.looks >= before); /* longer and longer between two looks */
        before = w.looks;
    }
    assert_false(fw_ipc_wait_spin_(&w));
    fw_ipc_wait_again_(&w);
    assert_int_equal(w.looks, 1);
    fw_ipc_wait_end_(&w);
}

static void does_not_spin_where_it_is_to_block(void **state)
{
    struct fw_ipc_wait_ w = begin_as(FW_WAIT_BLOCK);

    (void)state;
    assert_false(fw_ipc_wait_spin_(&w));
    fw_ipc_wait_end_(&w);
}

/* A holder that cannot be is one of whom nothing is known. */
static void spins_on_a_holder_that_cannot_be(void **state)
{
    struct fw_ipc_wait_ w = begin_as(FW_WAIT_ADAPTIVE);

    (void)state;
    while (fw_ipc_wait_spin_on_(&w, FW_IPC_SLOT))
        ;
    fw_ipc_wait_end_(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(spins_until_the_budget_is_used_up),
        TEST(does_not_spin_where_it_is_to_block),
        TEST(spins_on_a_holder_that_cannot_be),
    };
    return cmocka_run_group_tests_name("ipc_wait_spin", tests, NULL, NULL);
}
