/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <sys/resource.h>

#include "rwlock_fixture.h"
#include "test/sys/unit/in_child.h"

/* src/ipc/owner.c: assertions that pass, and that abort the program. */

static fw_ipc_mutex *m;
static fw_ipc_rwlock_mode asserted;

static int make(void)
{
    rwlock_make();
    m = fixture_object(&fixture, 2);
    return 0;
}

static void abort_quietly(void)
{
    struct rlimit no_core = {0, 0};

    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGABRT, SIG_DFL);
}

static int assert_mutex(void)
{
    abort_quietly();
    fw_ipc_mutex_assert_held(m);
    return 0;
}

static int assert_rwlock(void)
{
    abort_quietly();
    fw_ipc_rwlock_assert_held(l, asserted);
    return 0;
}

TEST(mutex)
{
    assert_int_equal(in_child(assert_mutex), -SIGABRT);
    assert_int_equal(fw_ipc_mutex_lock(m), 0);
    fw_ipc_mutex_assert_held(m);
    assert_int_equal(in_child(assert_mutex), -SIGABRT); /* a forked child holds nothing */
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
    assert_int_equal(in_child(assert_mutex), -SIGABRT);
}

static int take_and_assert(void)
{
    static int (*const take[])(fw_ipc_rwlock *) = {
        [FW_IPC_RWLOCK_READ] = fw_ipc_rwlock_rdlock,
        [FW_IPC_RWLOCK_UPGRADABLE] = fw_ipc_rwlock_upgradable_lock,
        [FW_IPC_RWLOCK_WRITE] = fw_ipc_rwlock_wrlock,
    };

    for (int held = FW_IPC_RWLOCK_READ; held <= FW_IPC_RWLOCK_WRITE; held++) {
        if (take[held](l) != 0)
            return 1;
        for (int mode = FW_IPC_RWLOCK_NONE; mode <= held; mode++)
            fw_ipc_rwlock_assert_held(l, (fw_ipc_rwlock_mode)mode);
        if (fw_ipc_rwlock_unlock(l) != 0)
            return 2;
    }
    return 0;
}

static int take_and_ask_for_more(void)
{
    return fw_ipc_rwlock_rdlock(l) == 0 ? assert_rwlock() : 1;
}

TEST(rwlock)
{
    assert_int_equal(in_child(take_and_assert), 0);
    asserted = FW_IPC_RWLOCK_READ;
    assert_int_equal(in_child(assert_rwlock), -SIGABRT);
    assert_int_equal(in_child(take_and_ask_for_more), 0);
    asserted = FW_IPC_RWLOCK_UPGRADABLE;
    assert_int_equal(in_child(take_and_ask_for_more), -SIGABRT);
}

UNIT_MAIN(make, fixture_end)
