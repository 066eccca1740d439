/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <unistd.h>

#include <furwock/ipc/journal.h>

#include "rwlock_fixture.h"
#include "unit.h"

/* src/ipc/rwlock_write.c: which threads are admitted, and by whom if the holder is dead. */

static int write_and_leave(fw_ipc_rwlock *lock)
{
    int error = fw_ipc_rwlock_wrlock(lock);

    return error != 0 ? error : fw_ipc_rwlock_wrunlock(lock);
}

/* The id of a thread that has died. */
static uint64_t dead_id(void)
{
    uint64_t id;

    kill_one(fw_ipc_rwlock_wrlock, 0);
    id = ipc_rw_holder(word());
    assert_int_equal(fw_ipc_rwlock_init(l), 0);
    return id;
}

/* Whatever state a thread has died in, without having written: anybody goes on. */
TEST(sound_states_are_finished)
{
    static const uint64_t states[] = {IPC_RW_UPGRADABLE, IPC_RW_DRAINING,
                                      IPC_RW_DRAINING | IPC_RW_ASLEEP | IPC_RW_READERS,
                                      IPC_RW_RELEASING, IPC_RW_RELEASING | FW_IPC_WAITERS};
    uint64_t dead = dead_id();

    for (unsigned i = 0; i < sizeof states / sizeof states[0]; i++) {
        l->word_ = dead | states[i];
        assert_int_equal(fw_ipc_rwlock_tryrdlock(l), 0);
        assert_int_equal(fw_ipc_rwlock_rdunlock(l), 0);
        l->word_ = dead | states[i];
        assert_int_equal(fw_ipc_rwlock_rdlock(l), 0);
        assert_int_equal(fw_ipc_rwlock_rdunlock(l), 0);
        l->word_ = dead | states[i];
        assert_int_equal(fw_ipc_rwlock_trywrlock(l), 0);
        assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
        l->word_ = dead | states[i];
        assert_int_equal(write_and_leave(l), 0);
        l->word_ = dead | states[i];
        assert_int_equal(fw_ipc_rwlock_upgradable_lock(l), 0);
        assert_int_equal(fw_ipc_rwlock_upgradable_unlock(l), 0);
        assert_int_equal(word(), 0);
    }
}

/* A writer died while it made the hint anew: all groups are looked at again (IRW4). */
TEST(a_hint_that_was_lost_is_not_missed)
{
    uint64_t dead = dead_id();
    int reader;

    reader = come(fw_ipc_rwlock_rdlock, 0);
    l->word_ = dead | IPC_RW_DRAINING;
    l->hint_ = 0;
    assert_int_equal(fw_ipc_rwlock_trywrlock(l), EBUSY);
    l->word_ = dead | IPC_RW_DRAINING;
    l->hint_ = 0;
    assert_int_equal(fw_ipc_rwlock_tryrdlock(l), 0);
    assert_int_equal(fw_ipc_rwlock_rdunlock(l), 0);
    assert_int_equal(fw_ipc_rwlock_trywrlock(l), EBUSY);
    kill_and_wait(reader);
    assert_int_equal(fw_ipc_rwlock_trywrlock(l), 0);
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
}

static int repaired;

static int repair(void *arg, const fw_ipc_death *death)
{
    repaired += death->process != 0 && fw_ipc_rwlock_held_by_me(l) == FW_IPC_RWLOCK_WRITE;
    return *(int *)arg;
}

TEST(whoever_comes_first_repairs)
{
    int cannot = 0, child;
    uint64_t generation;
    fw_ipc_death death;

    repaired = 0;
    assert_int_equal(fw_ipc_rwlock_on_death(l, repair, &cannot), 0);
    kill_one(fw_ipc_rwlock_wrlock, 0);
    assert_int_equal(fw_ipc_rwlock_rdlock(l), 0);
    assert_int_equal(fw_ipc_rwlock_rdunlock(l), 0);
    kill_one(fw_ipc_rwlock_wrlock, 0);
    assert_int_equal(fw_ipc_rwlock_upgradable_lock(l), 0);
    assert_int_equal(fw_ipc_rwlock_upgradable_unlock(l), 0);
    kill_one(fw_ipc_rwlock_wrlock, 0);
    assert_int_equal(fw_ipc_rwlock_wrlock(l), 0);
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
    assert_int_equal(repaired, 3);
    cannot = 1;
    child = kill_one(fw_ipc_rwlock_wrlock, 0);
    generation = fw_ipc_rwlock_generation(l);
    assert_int_equal(fw_ipc_rwlock_tryrdlock(l), EOWNERDEAD);
    assert_int_equal(fw_ipc_rwlock_rdlock(l), EOWNERDEAD);
    assert_int_equal(repaired, 5);
    assert_true(ipc_rw_is_unrepaired(word())); /* given back to the dead */
    assert_int_equal(fw_ipc_rwlock_held_by_me(l), FW_IPC_RWLOCK_NONE);
    assert_int_equal(fw_ipc_rwlock_on_death(l, NULL, NULL), 0);
    assert_int_equal(fw_ipc_rwlock_wrlock(l), EOWNERDEAD);
    assert_int_equal(fw_ipc_rwlock_death(l, &death), 0); /* the writer's, not those attempts' */
    assert_int_equal(death.process, child);
    assert_int_equal(death.generation, generation);
    assert_int_equal(fw_ipc_rwlock_consistent(l), 0);
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
}

static fw_ipc_journal *journal;
static long *account;

static int change_with_journal(fw_ipc_rwlock *lock)
{
    if (fw_ipc_rwlock_wrlock(lock) != 0 || fw_ipc_journal_record(journal, account, sizeof *account))
        return -1;
    *account += 5;
    return 0;
}

TEST(a_journal_is_undone_and_committed)
{
    enum { CAPACITY = 2 * FW_IPC_JOURNAL_RECORD(sizeof(long)) };

    journal = fixture_object(&fixture, 2);
    account = fixture_object(&fixture, 3);
    assert_int_equal(fw_ipc_journal_init(journal, CAPACITY), 0);
    assert_int_equal(fw_ipc_rwlock_journal(l, journal), EPERM);
    assert_int_equal(fw_ipc_rwlock_wrlock(l), 0);
    assert_int_equal(fw_ipc_rwlock_journal(l, journal), 0);
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
    kill_one(change_with_journal, 0);
    assert_int_equal(fw_ipc_rwlock_rdlock(l), 0);
    assert_int_equal(*account, 0);
    assert_int_equal(fw_ipc_rwlock_rdunlock(l), 0);
    assert_int_equal(change_with_journal(l), 0);
    assert_int_equal(fw_ipc_rwlock_downgrade(l), 0); /* commits */
    assert_int_equal(fw_ipc_rwlock_rdunlock(l), 0);
    assert_int_equal(change_with_journal(l), 0);
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
    kill_one(fw_ipc_rwlock_wrlock, 0);
    assert_int_equal(fw_ipc_rwlock_wrlock(l), 0);
    assert_int_equal(*account, 10);
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
}

UNIT_MAIN(rwlock_make, fixture_end)
