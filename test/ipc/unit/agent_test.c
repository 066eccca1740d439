/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "agent_fixture.h"

TEST(stays_while_it_is_used)
{
    take(1);
    fw_ipc_agent_stop_(fixture.mapping);
    assert_true(fw_ipc_agent_find_(fixture.mapping, &agent));
    assert_int_equal(fw_ipc_mutex_unlock_as_(m, TASK(1)), 0);
    fw_ipc_agent_stop_(fixture.mapping);
    assert_false(fw_ipc_agent_find_(fixture.mapping, &agent));
}

TEST(holds_for_one_task)
{
    take(1);
    assert_int_equal(fw_ipc_mutex_trylock(m), EBUSY);
    assert_int_equal(fw_ipc_mutex_unlock(m), EPERM);
    assert_int_equal(fw_ipc_mutex_unlock_as_(m, TASK(2)), EPERM);
    assert_false(fw_ipc_mutex_is_held_by_me(m));
    uint32_t before = fw_act_as_(TASK(1));
    assert_true(fw_ipc_mutex_is_held_by_me(m));
    assert_int_equal(fw_ipc_mutex_lock(m), EDEADLK);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
    assert_int_equal(fw_ipc_mutex_unlock(m), EPERM);
    fw_act_as_(before);
    assert_int_equal(fw_ipc_mutex_lock(m), 0);
    assert_int_equal(fw_ipc_mutex_unlock_as_(m, TASK(1)), EPERM);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
    fw_ipc_leave_(fixture.mapping);
}

TEST(passes_from_task_to_task)
{
    take(7);
    uint64_t generation = fw_ipc_mutex_generation(m);
    fw_ipc_agent_note_(m, TASK(8));
    fw_ipc_mutex_pass_(m, &agent, fw_ipc_task_bits_(TASK(8)));
    assert_int_equal(fw_ipc_mutex_unlock_as_(m, TASK(7)), EPERM);
    assert_true(fw_ipc_mutex_generation(m) == generation + 1);
    assert_int_equal(fw_ipc_mutex_unlock_as_(m, TASK(8)), 0);
}

UNIT_MAIN(make, unmake)
