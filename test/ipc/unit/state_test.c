/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <furwock/ipc/state.h>

#include "rwlock_fixture.h"
#include "test/support/robust_lists.h"
#include "unit.h"

/* src/ipc/state.c: what others are told of a lock, in each state that it can be in. */

static fw_ipc_mutex *m;

static int make(void)
{
    need_robust_lists();
    rwlock_make();
    m = fixture_object(&fixture, 2);
    return 0;
}

static int lock_mutex(fw_ipc_rwlock *unused)
{
    (void)unused;
    return fw_ipc_mutex_lock(m);
}

static fw_ipc_state of_mutex(fw_ipc_held held)
{
    fw_ipc_state s;

    assert_int_equal(fw_ipc_mutex_state(m, &s), 0);
    assert_int_equal(s.held, held);
    assert_int_equal(s.readers, 0);
    assert_int_equal(s.mode, held == FW_IPC_FREE || held == FW_IPC_UNUSABLE ? FW_IPC_RWLOCK_NONE
                                                                            : FW_IPC_RWLOCK_WRITE);
    return s;
}

static fw_ipc_state of_rwlock(fw_ipc_held held, fw_ipc_rwlock_mode mode, uint32_t readers)
{
    fw_ipc_state s;

    assert_int_equal(fw_ipc_rwlock_state(l, &s), 0);
    assert_int_equal(s.held, held);
    assert_int_equal(s.mode, mode);
    assert_int_equal(s.readers, readers);
    return s;
}

static void is_by(fw_ipc_state s, pid_t process)
{
    assert_int_equal(s.process, process);
    assert_int_equal(s.thread, process); /* its only thread */
}

static bool is_participant(void)
{
    struct fw_ipc_me_ me;

    assert_int_equal(fw_ipc_find_(l, &me), 0);
    return me.id != 0;
}

TEST(mutex_in_each_state)
{
    fw_ipc_state s;
    int holder;

    is_by(of_mutex(FW_IPC_FREE), 0);
    assert_false(is_participant());
    assert_int_equal(fw_ipc_mutex_lock(m), 0);
    s = of_mutex(FW_IPC_HELD_BY_ME);
    is_by(s, getpid());
    assert_int_equal(s.generation, 1);
    assert_false(s.is_inconsistent);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
    is_by(of_mutex(FW_IPC_FREE), 0);

    holder = come(lock_mutex, 0);
    s = of_mutex(FW_IPC_HELD);
    is_by(s, holder);
    assert_int_equal(s.generation, 2);
    kill_and_wait(holder);
    s = of_mutex(FW_IPC_OWNER_DIED);
    is_by(s, holder);
    assert_int_equal(s.generation, 2);

    assert_int_equal(fw_ipc_mutex_lock(m), EOWNERDEAD);
    s = of_mutex(FW_IPC_HELD_BY_ME);
    is_by(s, getpid());
    assert_true(s.is_inconsistent);
    assert_int_equal(fw_ipc_mutex_consistent(m), 0);
    assert_false(of_mutex(FW_IPC_HELD_BY_ME).is_inconsistent);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);

    kill_one(lock_mutex, 0);
    assert_int_equal(fw_ipc_mutex_lock(m), EOWNERDEAD);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
    is_by(of_mutex(FW_IPC_UNUSABLE), 0);
}

static void *look_from_another_thread(void *expected)
{
    fw_ipc_state s = of_mutex(*(fw_ipc_held *)expected);

    assert_int_equal(s.thread, getpid());
    assert_false(is_participant()); /* looking takes no slot */
    return NULL;
}

/* The holder is a thread: to another one of the process the lock is held. */
TEST(another_thread_of_the_process)
{
    fw_ipc_held held = FW_IPC_HELD;
    pthread_t thread;

    assert_int_equal(fw_ipc_mutex_lock(m), 0);
    assert_int_equal(pthread_create(&thread, NULL, look_from_another_thread, &held), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
}

static void child_looks(void *parent)
{
    fw_ipc_state s;

    _exit(fw_ipc_mutex_state(m, &s) == 0 && s.held == FW_IPC_HELD &&
                  s.process == *(pid_t *)parent && !is_participant()
              ? 0
              : 1);
}

TEST(a_forked_child_holds_nothing)
{
    pid_t me = getpid();

    assert_int_equal(fw_ipc_mutex_lock(m), 0);
    finish(start(child_looks, &me));
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
}

TEST(readers_are_counted)
{
    int one, other;

    is_by(of_rwlock(FW_IPC_FREE, FW_IPC_RWLOCK_NONE, 0), 0);
    one = come(fw_ipc_rwlock_rdlock, 0);
    is_by(of_rwlock(FW_IPC_HELD, FW_IPC_RWLOCK_READ, 1), one);
    other = come(fw_ipc_rwlock_rdlock, 0);
    of_rwlock(FW_IPC_HELD, FW_IPC_RWLOCK_READ, 2);
    assert_int_equal(fw_ipc_rwlock_rdlock(l), 0);
    assert_int_equal(fw_ipc_rwlock_rdlock(l), 0); /* one thread all the same */
    is_by(of_rwlock(FW_IPC_HELD_BY_ME, FW_IPC_RWLOCK_READ, 3), getpid());
    kill_and_wait(one);
    of_rwlock(FW_IPC_HELD_BY_ME, FW_IPC_RWLOCK_READ, 2);
    assert_int_equal(fw_ipc_rwlock_rdunlock(l), 0);
    of_rwlock(FW_IPC_HELD_BY_ME, FW_IPC_RWLOCK_READ, 2);
    assert_int_equal(fw_ipc_rwlock_rdunlock(l), 0);
    is_by(of_rwlock(FW_IPC_HELD, FW_IPC_RWLOCK_READ, 1), other);
    kill_and_wait(other);
    is_by(of_rwlock(FW_IPC_FREE, FW_IPC_RWLOCK_NONE, 0), 0);
}

TEST(writers_and_upgradable_ones)
{
    fw_ipc_state s;
    int one, reader;

    assert_int_equal(fw_ipc_rwlock_wrlock(l), 0);
    is_by(of_rwlock(FW_IPC_HELD_BY_ME, FW_IPC_RWLOCK_WRITE, 0), getpid());
    come_and_wait(fw_ipc_rwlock_rdlock, IPC_RW_READERS);
    of_rwlock(FW_IPC_HELD_BY_ME, FW_IPC_RWLOCK_WRITE, 0); /* a waiting reader is none */
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
    assert_int_equal(answer(), 0);
    of_rwlock(FW_IPC_HELD, FW_IPC_RWLOCK_READ, 1);

    one = come(fw_ipc_rwlock_upgradable_lock, 0);
    is_by(of_rwlock(FW_IPC_HELD, FW_IPC_RWLOCK_UPGRADABLE, 1), one);
    kill_and_wait(one); /* it could change nothing: only the reader is left */
    of_rwlock(FW_IPC_HELD, FW_IPC_RWLOCK_READ, 1);

    reader = come_and_wait(fw_ipc_rwlock_wrlock, IPC_RW_DRAINING);
    s = of_rwlock(FW_IPC_HELD, FW_IPC_RWLOCK_READ, 1);
    assert_int_not_equal(s.process, reader); /* but the one that is in the way */
    kill_and_wait(reader);
    of_rwlock(FW_IPC_HELD, FW_IPC_RWLOCK_READ, 1);
}

TEST(a_dead_writer)
{
    int writer = kill_one(fw_ipc_rwlock_wrlock, 0);

    is_by(of_rwlock(FW_IPC_OWNER_DIED, FW_IPC_RWLOCK_WRITE, 0), writer);
    assert_int_equal(fw_ipc_rwlock_rdlock(l), EOWNERDEAD);
    is_by(of_rwlock(FW_IPC_OWNER_DIED, FW_IPC_RWLOCK_WRITE, 0), writer);
    assert_int_equal(fw_ipc_rwlock_wrlock(l), EOWNERDEAD);
    assert_true(of_rwlock(FW_IPC_HELD_BY_ME, FW_IPC_RWLOCK_WRITE, 0).is_inconsistent);
    assert_int_equal(fw_ipc_rwlock_wrunlock(l), 0);
    is_by(of_rwlock(FW_IPC_UNUSABLE, FW_IPC_RWLOCK_NONE, 0), 0);
}

TEST(misuse_and_foreign_words)
{
    static const uint64_t words[] = {UINT64_C(1) << 32 | 99, UINT64_C(99) << 32 | 1, 0x3fff0000};
    fw_ipc_mutex here = FW_IPC_MUTEX_INIT;
    fw_ipc_state s;

    assert_int_equal(fw_ipc_mutex_state(&here, &s), EINVAL);
    assert_int_equal(fw_ipc_mutex_state(NULL, &s), EINVAL);
    assert_int_equal(fw_ipc_mutex_state(m, NULL), EINVAL);
    assert_int_equal(fw_ipc_rwlock_state(l, NULL), EINVAL);
    assert_int_equal(fw_ipc_rwlock_state((fw_ipc_rwlock *)((char *)l + 4), &s), EINVAL);
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        m->word_ = l->word_ = words[i];
        assert_int_equal(fw_ipc_mutex_state(m, &s), EUCLEAN);
        assert_int_equal(fw_ipc_rwlock_state(l, &s), EUCLEAN);
        assert_int_equal(m->word_, words[i]);
    }
}

UNIT_MAIN(make, fixture_end)
