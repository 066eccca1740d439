/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <unistd.h>

#include "rwlock_fixture.h"
#include "unit.h"

/* src/ipc/rwlock_write.c: writers. */

static int write_and_leave(fw_ipc_rwlock *lock)
{
    int error = fw_ipc_rwlock_wrlock(lock);

    return error != 0 ? error : fw_ipc_rwlock_wrunlock(lock);
}

static int try_all(fw_ipc_rwlock *lock)
{
    fw_deadline soon = in_ms(60); /* longer than a bounded wait */
    fw_deadline bad = {.clock = CLOCK_MONOTONIC, .at = {.tv_nsec = -1}};

    if (fw_ipc_rwlock_trywrlock(lock) != EBUSY || fw_ipc_rwlock_timedwrlock(lock, &bad) != EINVAL ||
        fw_ipc_rwlock_timedwrlock(lock, &soon) != ETIMEDOUT)
        return -1;
    return fw_ipc_rwlock_wrunlock(lock);
}

TEST(a_writer_excludes_all)
{
    for (uint64_t i = 1; i < 40; i++) {
        assert_int_equal(fw_ipc_rwlock_wrlock(l), 0);
        assert_int_equal(word(), own_id());
        assert_int_equal(fw_ipc_rwlock_held_by_me(l), FW_IPC_RWLOCK_WRITE);
        assert_int_equal(fw_ipc_rwlock_generation(l), i);
        assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
        assert_int_equal(word(), 0);
    }
    assert_int_equal(fw_ipc_rwlock_trywrlock(l), 0);
    assert_int_equal(elsewhere(try_all), EPERM);
    assert_int_equal(elsewhere(fw_ipc_rwlock_tryrdlock), EBUSY);
    assert_int_equal(elsewhere(fw_ipc_rwlock_upgradable_trylock), EBUSY);
    assert_int_equal(fw_ipc_rwlock_wrlock(l), EDEADLK);
    assert_int_equal(fw_ipc_rwlock_trywrlock(l), EBUSY);
    assert_int_equal(fw_ipc_rwlock_consistent(l), EINVAL);
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), EPERM);
    assert_int_equal(fw_ipc_rwlock_consistent(l), EPERM);
}

TEST(readers_keep_a_writer_out)
{
    int reader = come(fw_ipc_rwlock_rdlock, 0);

    assert_int_equal(try_all(l), EPERM);
    assert_int_equal(word(), 0); /* those who gave up left it open */
    assert_int_equal(fw_ipc_rwlock_rdlock(l), 0);
    assert_int_equal(fw_ipc_rwlock_wrlock(l), EDEADLK);
    assert_int_equal(fw_ipc_rwlock_trywrlock(l), EBUSY);
    assert_int_equal(word(), 0);
    assert_int_equal(fw_ipc_rwlock_rdunlock(l), 0);
    kill_and_wait(reader);
    assert_int_equal(fw_ipc_rwlock_wrlock(l), 0);
}

TEST(what_one_reads_one_does_not_wait_for)
{
    int writer;

    assert_int_equal(fw_ipc_rwlock_rdlock(l), 0);
    writer = come_and_wait(fw_ipc_rwlock_wrlock, IPC_RW_DRAINING);
    assert_int_equal(fw_ipc_rwlock_wrlock(l), EDEADLK);
    assert_int_equal(fw_ipc_rwlock_upgradable_lock(l), EDEADLK);
    assert_int_equal(fw_ipc_rwlock_rdunlock(l), 0);
    assert_int_equal(answer(), 0);
    kill_and_wait(writer);
}

TEST(the_hint_follows_the_readers)
{
    int child;

    assert_int_equal(fw_ipc_rwlock_rdlock(l), 0);
    assert_int_equal(l->hint_, fw_ipc_group_of_(own_id()));
    assert_int_equal(fw_ipc_rwlock_rdunlock(l), 0);
    kill_one(fw_ipc_rwlock_rdlock, 0);
    child = come(fw_ipc_rwlock_rdlock, 0);
    kill_and_wait(child);
    for (int i = 0; i < 17; i++)
        assert_int_equal(write_and_leave(l), 0);
    assert_int_equal(l->hint_, 0);
}

/* The record by which the only reader, in slot 0, has the lock. */
static uint64_t *record_of_reader(void)
{
    struct fw_ipc_walk_ k;

    fw_ipc_walk_begin_(&k, fixture.mapping, l, l->hint_);
    assert_true(fw_ipc_walk_next_(&k));
    return k.record;
}

/* Else a writer would be let in beside the live reader, by a generation that is yet to come. */
TEST(an_impossible_share_is_not_a_dead_one)
{
    const uint64_t unreal[] = {FW_IPC_SLOT_GENERATION_, UINT64_C(7) << 32, 0}; /* the slot has 1 */
    int reader = come(fw_ipc_rwlock_rdlock, 0);
    uint64_t *record = record_of_reader(), whole = fw_load64_relaxed(record);

    for (unsigned i = 0; i < sizeof unreal / sizeof *unreal; i++) {
        fw_store64_release(record, unreal[i] | (uint32_t)whole);
        assert_int_equal(fw_ipc_rwlock_trywrlock(l), EUCLEAN);
        assert_int_equal(fw_ipc_rwlock_wrlock(l), EUCLEAN);
        assert_int_equal(word(), 0); /* left open, as it was */
        assert_int_equal(fw_ipc_rwlock_upgradable_lock(l), 0);
        assert_int_equal(fw_ipc_rwlock_tryupgrade(l), EUCLEAN);
        assert_int_equal(fw_ipc_rwlock_upgrade(l), EUCLEAN);
        assert_int_equal(fw_ipc_rwlock_upgradable_unlock(l), 0);
    }
    fw_store64_release(record, whole);
    assert_int_equal(fw_ipc_rwlock_trywrlock(l), EBUSY);
    kill_and_wait(reader);
    assert_int_equal(write_and_leave(l), 0);
}

UNIT_MAIN(rwlock_make, fixture_end)
