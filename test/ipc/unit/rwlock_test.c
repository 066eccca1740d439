/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "rwlock_fixture.h"
#include "unit.h"

/* src/ipc/rwlock.c: readers, upgradable or not.  (Writers: rwlock_write_test.c.) */

TEST(readers_read_together)
{
    int child = come(fw_ipc_rwlock_rdlock, 0);

    assert_int_equal(fw_ipc_rwlock_rdlock(l), 0);
    assert_int_equal(word(), 0); /* readers do not write to it */
    assert_int_equal(fw_ipc_rwlock_held_by_me(l), FW_IPC_RWLOCK_READ);
    assert_int_equal(elsewhere(fw_ipc_rwlock_tryrdlock), 0);
    assert_int_equal(elsewhere(fw_ipc_rwlock_rdunlock), EPERM);
    assert_int_equal(fw_ipc_rwlock_trywrlock(l), EBUSY);
    assert_int_equal(fw_ipc_rwlock_rdunlock(l), 0);
    assert_int_equal(fw_ipc_rwlock_held_by_me(l), FW_IPC_RWLOCK_NONE);
    assert_int_equal(fw_ipc_rwlock_rdunlock(l), EPERM);
    assert_int_equal(fw_ipc_rwlock_trywrlock(l), EBUSY);
    assert_int_equal(word(), 0);
    kill_and_wait(child);
}

TEST(misuse_is_an_error)
{
    static uint64_t space[10];
    fw_ipc_rwlock *elsewhere_ = (fw_ipc_rwlock *)(void *)space;
    fw_ipc_rwlock *odd = (fw_ipc_rwlock *)(void *)((char *)l + 4);

    assert_int_equal(fw_ipc_rwlock_rdlock(elsewhere_), EINVAL);
    assert_int_equal(fw_ipc_rwlock_rdunlock(elsewhere_), EINVAL);
    assert_int_equal(fw_ipc_rwlock_held_by_me(elsewhere_), FW_IPC_RWLOCK_NONE);
    assert_int_equal(fw_ipc_rwlock_on_death(elsewhere_, NULL, NULL), EINVAL);
    own_id();
    assert_int_equal(fw_ipc_rwlock_init(odd), EINVAL);
    assert_int_equal(fw_ipc_rwlock_rdlock(odd), EINVAL);
    assert_int_equal(fw_ipc_rwlock_tryrdlock(odd), EINVAL);
    assert_int_equal(fw_ipc_rwlock_rdunlock(odd), EINVAL);
    assert_int_equal(fw_ipc_rwlock_unlock(l), EPERM);
    assert_int_equal(fw_ipc_rwlock_init(l), 0);
}

TEST(reading_again_always_succeeds)
{
    int writer;

    assert_int_equal(fw_ipc_rwlock_rdlock(l), 0);
    writer = come_and_wait(fw_ipc_rwlock_wrlock, IPC_RW_DRAINING);
    assert_int_equal(elsewhere(fw_ipc_rwlock_tryrdlock), EBUSY);
    assert_int_equal(fw_ipc_rwlock_rdlock(l), 0);
    assert_int_equal(fw_ipc_rwlock_tryrdlock(l), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(fw_ipc_rwlock_rdunlock(l), 0);
    assert_false(has_answered());
    assert_int_equal(fw_ipc_rwlock_rdunlock(l), 0);
    assert_int_equal(answer(), 0);
    kill_and_wait(writer);
}

TEST(shares_are_limited)
{
    for (unsigned i = 0; i < FW_IPC_SHARES; i++)
        assert_int_equal(fw_ipc_rwlock_rdlock(l), 0);
    assert_int_equal(fw_ipc_rwlock_rdlock(l), EAGAIN);
    assert_int_equal(fw_ipc_rwlock_tryrdlock(l), EAGAIN);
    for (unsigned i = 0; i < FW_IPC_SHARES; i++)
        assert_int_equal(fw_ipc_rwlock_unlock(l), 0);
    assert_int_equal(fw_ipc_rwlock_unlock(l), EPERM);
}

static int read_soon(fw_ipc_rwlock *lock)
{
    fw_deadline soon = in_ms(60); /* longer than a bounded wait */
    fw_deadline real = {.clock = CLOCK_REALTIME};
    fw_deadline bad = {.clock = CLOCK_MONOTONIC, .at = {.tv_nsec = -1}};
    fw_wait_policy spin = {.kind = FW_WAIT_SPIN};

    if (fw_ipc_rwlock_tryrdlock(lock) != EBUSY || fw_ipc_rwlock_timedrdlock(lock, &bad) != EINVAL ||
        fw_ipc_rwlock_timedrdlock(lock, &real) != ETIMEDOUT ||
        fw_ipc_rwlock_timedrdlock(lock, &soon) != ETIMEDOUT)
        return -1;
    soon = in_ms(5);
    if (fw_ipc_rwlock_rdlock_policy(lock, &spin, &soon) != ETIMEDOUT)
        return -2;
    return fw_ipc_rwlock_rdunlock(lock);
}

TEST(what_a_writer_holds_is_not_held)
{
    fw_deadline bad = {.clock = CLOCK_MONOTONIC, .at = {.tv_nsec = -1}};

    assert_int_equal(fw_ipc_rwlock_wrlock(l), 0);
    assert_int_equal(elsewhere(read_soon), EPERM);
    assert_int_equal(fw_ipc_rwlock_rdlock(l), EDEADLK);
    assert_int_equal(fw_ipc_rwlock_tryrdlock(l), EBUSY);
    assert_int_equal(fw_ipc_rwlock_rdunlock(l), EPERM);
    assert_int_equal(fw_ipc_rwlock_unlock(l), 0);
    assert_int_equal(fw_ipc_rwlock_timedrdlock(l, &bad), 0); /* need not wait */
    assert_int_equal(fw_ipc_rwlock_rdunlock(l), 0);
}

static int find_out(fw_ipc_rwlock *lock)
{
    if (fw_ipc_rwlock_rdunlock(lock) != EPERM || fw_ipc_rwlock_trywrlock(lock) != EBUSY)
        return -1;
    return fw_ipc_rwlock_held_by_me(lock) == FW_IPC_RWLOCK_NONE ? 0 : -2;
}

TEST(a_child_holds_nothing)
{
    assert_int_equal(fw_ipc_rwlock_rdlock(l), 0);
    kill_one(find_out, 0);
    assert_int_equal(fw_ipc_rwlock_rdunlock(l), 0);
}

TEST(words_that_cannot_be_are_left_alone)
{
    static const uint64_t words[] = {
        UINT64_C(1) << 32 | (SLOTS + 1),           /* no such slot */
        UINT64_C(1) << 32,                         /* a generation of no slot */
        UINT64_C(99) << 32 | 1,                    /* a generation that has not been */
        UINT64_C(1) << 32 | UINT64_C(1) << 29 | 1, /* an unknown flag */
        UINT64_C(1) << 32 | IPC_RW_PHASE | 1,      /* more than one phase */
        FW_IPC_WAITERS,
        FW_IPC_DIED,
        IPC_RW_READERS, /* of nobody */
    };

    own_id();
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        l->word_ = words[i];
        assert_int_equal(fw_ipc_rwlock_rdlock(l), EUCLEAN);
        assert_int_equal(fw_ipc_rwlock_tryrdlock(l), EUCLEAN);
        assert_int_equal(fw_ipc_rwlock_wrlock(l), EUCLEAN);
        assert_int_equal(fw_ipc_rwlock_trywrlock(l), EUCLEAN);
        assert_int_equal(fw_ipc_rwlock_upgradable_lock(l), EUCLEAN);
        assert_int_equal(fw_ipc_rwlock_unlock(l), EPERM);
        assert_int_equal(l->word_, words[i]);
    }
}

/* --- Upgradable reading, and from one mode to another ----------------------------------------- */

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
    assert_int_equal(fw_ipc_rwlock_held_by_me(l), FW_IPC_RWLOCK_READ);
    assert_int_equal(elsewhere(fw_ipc_rwlock_tryrdlock), 0);
    assert_int_equal(elsewhere(fw_ipc_rwlock_trywrlock), EBUSY);
    assert_int_equal(fw_ipc_rwlock_rdunlock(l), 0);
}

UNIT_MAIN(rwlock_make, fixture_end)
