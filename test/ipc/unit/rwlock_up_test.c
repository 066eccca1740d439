/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <unistd.h>

#include "rwlock_fixture.h"
#include "unit.h"

/* src/ipc/rwlock.c: upgradable reading, and from one mode to another. */

static int try_for_long(fw_ipc_rwlock *lock)
{
    fw_deadline soon = in_ms(60); /* longer than a bounded wait */
    fw_deadline bad = {.clock = CLOCK_MONOTONIC, .at = {.tv_nsec = -1}};

    if (fw_ipc_rwlock_upgradable_trylock(lock) != EBUSY ||
        fw_ipc_rwlock_upgradable_timedlock(lock, &bad) != EINVAL ||
        fw_ipc_rwlock_upgradable_timedlock(lock, &soon) != ETIMEDOUT)
        return -1;
    return fw_ipc_rwlock_upgradable_unlock(lock);
}

TEST(upgradable_goes_with_readers_only)
{
    assert_int_equal(fw_ipc_rwlock_upgradable_lock(l), 0);
    assert_int_equal(word(), own_id() | IPC_RW_UPGRADABLE);
    assert_int_equal(fw_ipc_rwlock_held_by_me(l), FW_IPC_RWLOCK_UPGRADABLE);
    assert_int_equal(elsewhere(fw_ipc_rwlock_tryrdlock), 0);
    assert_int_equal(elsewhere(fw_ipc_rwlock_trywrlock), EBUSY);
    assert_int_equal(elsewhere(try_for_long), EPERM);
    assert_int_equal(fw_ipc_rwlock_upgradable_lock(l), EDEADLK);
    assert_int_equal(fw_ipc_rwlock_wrlock(l), EDEADLK);
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), EPERM);
    assert_int_equal(fw_ipc_rwlock_rdlock(l), 0); /* a share beside it */
    assert_int_equal(fw_ipc_rwlock_tryupgrade(l), EDEADLK);
    assert_int_equal(fw_ipc_rwlock_upgrade(l), EDEADLK);
    assert_int_equal(fw_ipc_rwlock_held_by_me(l), FW_IPC_RWLOCK_UPGRADABLE);
    assert_int_equal(fw_ipc_rwlock_unlock(l), 0);
    assert_int_equal(fw_ipc_rwlock_unlock(l), 0);
    assert_int_equal(fw_ipc_rwlock_unlock(l), EPERM);
    assert_int_equal(fw_ipc_rwlock_upgradable_unlock(l), EPERM);
    assert_int_equal(word(), 0);
    assert_int_equal(fw_ipc_rwlock_upgradable_trylock(l), 0);
    assert_int_equal(fw_ipc_rwlock_upgradable_unlock(l), 0);
}

TEST(an_upgrade_waits_for_the_readers)
{
    fw_deadline soon;
    int reader;

    assert_int_equal(fw_ipc_rwlock_upgrade(l), EPERM);
    assert_int_equal(fw_ipc_rwlock_upgradable_lock(l), 0);
    reader = come(fw_ipc_rwlock_rdlock, 0);
    assert_int_equal(fw_ipc_rwlock_tryupgrade(l), EBUSY);
    soon = in_ms(60);
    assert_int_equal(fw_ipc_rwlock_timedupgrade(l, &soon), ETIMEDOUT);
    assert_int_equal(word(), own_id() | IPC_RW_UPGRADABLE);
    assert_int_equal(elsewhere(fw_ipc_rwlock_tryrdlock), 0);
    assert_int_equal(fw_ipc_rwlock_generation(l), 0);
    kill_and_wait(reader);
    assert_int_equal(fw_ipc_rwlock_upgrade(l), 0);
    assert_int_equal(word(), own_id());
    assert_int_equal(fw_ipc_rwlock_generation(l), 1);
    assert_int_equal(fw_ipc_rwlock_tryupgrade(l), EPERM);
    assert_int_equal(fw_ipc_rwlock_downgrade_upgradable(l), 0);
    assert_int_equal(fw_ipc_rwlock_downgrade_upgradable(l), EPERM);
    assert_int_equal(fw_ipc_rwlock_tryupgrade(l), 0);
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
}

TEST(a_downgrade_lets_readers_in)
{
    int reader;

    assert_int_equal(fw_ipc_rwlock_downgrade(l), EPERM);
    assert_int_equal(fw_ipc_rwlock_wrlock(l), 0);
    reader = come_and_wait(fw_ipc_rwlock_rdlock, 0);
    assert_int_equal(fw_ipc_rwlock_downgrade(l), 0);
    assert_int_equal(answer(), 0);
    assert_int_equal(word(), 0);
    assert_int_equal(fw_ipc_rwlock_held_by_me(l), FW_IPC_RWLOCK_READ);
    kill_and_wait(reader);
    assert_int_equal(elsewhere(fw_ipc_rwlock_trywrlock), EBUSY);
    assert_int_equal(fw_ipc_rwlock_rdunlock(l), 0);

    assert_int_equal(fw_ipc_rwlock_wrlock(l), 0);
    reader = come_and_wait(fw_ipc_rwlock_rdlock, 0);
    assert_int_equal(fw_ipc_rwlock_downgrade_upgradable(l), 0);
    assert_int_equal(answer(), 0);
    assert_int_equal(fw_ipc_rwlock_held_by_me(l), FW_IPC_RWLOCK_UPGRADABLE);
    assert_int_equal(fw_ipc_rwlock_downgrade(l), 0);
    assert_int_equal(word(), 0);
    assert_int_equal(fw_ipc_rwlock_rdunlock(l), 0);
    kill_and_wait(reader);
}

TEST(a_downgrade_needs_a_share)
{
    fw_ipc_rwlock *other = fixture_object(&fixture, 3);

    for (unsigned i = 0; i < FW_IPC_SHARES; i++)
        assert_int_equal(fw_ipc_rwlock_rdlock(other), 0);
    assert_int_equal(fw_ipc_rwlock_wrlock(l), 0);
    assert_int_equal(fw_ipc_rwlock_downgrade(l), EAGAIN);
    assert_int_equal(fw_ipc_rwlock_held_by_me(l), FW_IPC_RWLOCK_WRITE);
    assert_int_equal(fw_ipc_rwlock_rdunlock(other), 0);
    assert_int_equal(fw_ipc_rwlock_downgrade(l), 0);
    assert_int_equal(fw_ipc_rwlock_rdunlock(l), 0);
}

static int upgrade_all(fw_ipc_rwlock *lock)
{
    int error = fw_ipc_rwlock_upgradable_lock(lock);

    return error != 0 ? error : fw_ipc_rwlock_upgrade(lock);
}

static int upread_and_leave(fw_ipc_rwlock *lock)
{
    int error = fw_ipc_rwlock_upgradable_lock(lock);

    return error != 0 ? error : fw_ipc_rwlock_upgradable_unlock(lock);
}

TEST(only_deaths_of_writers_are_told)
{
    int reader, victim;

    kill_one(fw_ipc_rwlock_upgradable_lock, 0);
    assert_int_equal(upread_and_leave(l), 0);
    reader = come(fw_ipc_rwlock_rdlock, 0);
    victim = come_and_wait(upgrade_all, IPC_RW_DRAINING);
    assert_int_equal(fw_ipc_rwlock_tryrdlock(l), EBUSY);
    kill_and_wait(victim);
    assert_int_equal(fw_ipc_rwlock_rdlock(l), 0);
    assert_int_equal(fw_ipc_rwlock_rdunlock(l), 0);
    kill_and_wait(reader);
    kill_one(upgrade_all, 0);
    assert_int_equal(fw_ipc_rwlock_upgradable_lock(l), EOWNERDEAD);
    assert_int_equal(fw_ipc_rwlock_wrlock(l), EOWNERDEAD);
    assert_int_equal(fw_ipc_rwlock_downgrade_upgradable(l), EOWNERDEAD);
    assert_int_equal(fw_ipc_rwlock_consistent(l), 0);
    assert_int_equal(fw_ipc_rwlock_downgrade_upgradable(l), 0);
    assert_int_equal(fw_ipc_rwlock_upgradable_unlock(l), 0);
}

UNIT_MAIN(rwlock_make, fixture_end)
