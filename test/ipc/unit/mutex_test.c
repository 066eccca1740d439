/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <furwock/ipc/mutex.h>

#include "fixture.h"
#include "ipc/region/member.h"
#include "test/support/robust_lists.h"
#include "unit.h"

/* src/ipc/mutex.c, with the real kernel; the victims are forked children. */

static fw_ipc_mutex *m;
static uint64_t *said; /* by a child, when it has come so far */

static int make(void)
{
    need_robust_lists();
    fixture = fixture_make(8);
    m = fixture_object(&fixture, 0);
    said = fixture_object(&fixture, 1);
    return 0;
}

static void await_word(const uint64_t *word, uint64_t value)
{
    while (fw_load64_acquire(word) != value)
        sched_yield();
}

/* Takes the mutex, whatever the answer, and holds it. */
static void hold(void *arg)
{
    (void)arg;
    int error = fw_ipc_mutex_lock(m);
    fw_store64_release(said, 1 + (uint64_t)error);
    pause();
}

/* A child that was killed as the holder; its lock had this answer. */
static int kill_a_holder(int expected)
{
    int child;

    *said = 0;
    child = start(hold, NULL);
    await_word(said, 1 + (uint64_t)expected);
    kill_and_wait(child);
    return child;
}

static uint64_t own_id(void)
{
    struct fw_ipc_me_ me;

    assert_int_equal(fw_ipc_enter_(m, &me), 0);
    return me.id;
}

TEST(locks_and_unlocks)
{
    for (uint64_t i = 1; i < 4; i++) {
        assert_int_equal(fw_ipc_mutex_lock(m), 0);
        assert_int_equal(m->word_, own_id());
        assert_true(fw_ipc_mutex_is_held_by_me(m));
        assert_int_equal(fw_ipc_mutex_generation(m), i);
        assert_int_equal(fw_ipc_mutex_unlock(m), 0);
        assert_int_equal(m->word_, 0);
        assert_false(fw_ipc_mutex_is_held_by_me(m));
    }
    assert_int_equal(fw_ipc_mutex_trylock(m), 0);
    assert_int_equal(fw_ipc_mutex_generation(m), 4);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
}

TEST(misuse_is_an_error)
{
    fw_ipc_mutex elsewhere = FW_IPC_MUTEX_INIT;
    fw_deadline bad = {.clock = CLOCK_MONOTONIC, .at = {.tv_nsec = -1}};
    fw_ipc_death death;

    assert_int_equal(fw_ipc_mutex_unlock(m), EPERM);
    assert_int_equal(fw_ipc_mutex_consistent(m), EPERM);
    assert_int_equal(fw_ipc_mutex_lock(m), 0);
    assert_int_equal(fw_ipc_mutex_lock(m), EDEADLK);
    assert_int_equal(fw_ipc_mutex_timedlock(m, &bad), EDEADLK);
    assert_int_equal(fw_ipc_mutex_trylock(m), EBUSY);
    assert_int_equal(fw_ipc_mutex_consistent(m), EINVAL);
    assert_int_equal(fw_ipc_mutex_death(m, &death), ENOENT);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
    assert_int_equal(fw_ipc_mutex_unlock(m), EPERM);
    assert_int_equal(fw_ipc_mutex_lock(&elsewhere), EINVAL);
    assert_int_equal(fw_ipc_mutex_unlock(&elsewhere), EINVAL);
    assert_int_equal(fw_ipc_mutex_on_death(&elsewhere, NULL, NULL), EINVAL);
    assert_int_equal(fw_ipc_mutex_init((fw_ipc_mutex *)((char *)m + 4)), EINVAL);
}

static void *try_elsewhere(void *arg)
{
    fw_deadline soon = {.clock = CLOCK_MONOTONIC};
    fw_deadline bad = {.clock = CLOCK_MONOTONIC, .at = {.tv_nsec = 1000000000}};

    (void)arg;
    clock_gettime(CLOCK_MONOTONIC, &soon.at);
    assert_int_equal(fw_ipc_mutex_trylock(m), EBUSY);
    assert_int_equal(fw_ipc_mutex_timedlock(m, &bad), EINVAL);
    soon.at.tv_nsec += soon.at.tv_nsec < 900000000 ? 100000000 : 0; /* longer than a bounded wait */
    assert_int_equal(fw_ipc_mutex_timedlock(m, &soon), ETIMEDOUT);
    clock_gettime(CLOCK_REALTIME, &soon.at);
    soon.clock = CLOCK_REALTIME;
    assert_int_equal(fw_ipc_mutex_timedlock(m, &soon), ETIMEDOUT);
    assert_int_equal(fw_ipc_mutex_unlock(m), EPERM);
    return NULL;
}

TEST(what_another_holds_is_busy)
{
    pthread_t thread;

    fw_ipc_mutex_lock(m);
    pthread_create(&thread, NULL, try_elsewhere, NULL);
    pthread_join(thread, NULL);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
}

TEST(words_that_cannot_be_are_left_alone)
{
    static const uint64_t words[] = {
        UINT64_C(1) << 32 | 9,       /* no such slot */
        UINT64_C(1) << 32,           /* a generation of no slot */
        UINT64_C(99) << 32 | 1,      /* a generation that has not been */
        UINT64_C(1) << 32 | 0x10001, /* an unknown flag */
        FW_IPC_WAITERS,
        FW_IPC_DIED,
    };

    own_id();
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        m->word_ = words[i];
        assert_int_equal(fw_ipc_mutex_lock(m), EUCLEAN);
        assert_int_equal(fw_ipc_mutex_trylock(m), EUCLEAN);
        assert_int_equal(fw_ipc_mutex_unlock(m), EPERM);
        assert_int_equal(m->word_, words[i]);
    }
}

static void fork_and_find_out(void *arg)
{
    (void)arg;
    if (fw_ipc_mutex_trylock(m) != EBUSY || fw_ipc_mutex_unlock(m) != EPERM)
        _exit(1);
}

TEST(a_child_holds_nothing)
{
    fw_ipc_mutex_lock(m);
    assert_int_equal(wait_for_child(start(fork_and_find_out, NULL)), 0);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
}

static int repaired;

static int repair(void *arg, const fw_ipc_death *death)
{
    repaired += death->process != 0 && fw_ipc_mutex_is_held_by_me(m);
    return *(int *)arg;
}

TEST(a_repair_function_does_it_all)
{
    int answer = 0;

    repaired = 0;
    assert_int_equal(fw_ipc_mutex_on_death(m, repair, &answer), 0);
    kill_a_holder(0);
    assert_int_equal(fw_ipc_mutex_lock(m), 0);
    assert_int_equal(repaired, 1);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
    kill_a_holder(0);
    answer = 1; /* it cannot */
    assert_int_equal(fw_ipc_mutex_lock(m), EOWNERDEAD);
    assert_int_equal(repaired, 2);
    assert_int_equal(fw_ipc_mutex_consistent(m), 0);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
    assert_int_equal(fw_ipc_mutex_on_death(m, NULL, NULL), 0);
    kill_a_holder(0);
    assert_int_equal(fw_ipc_mutex_lock(m), EOWNERDEAD);
    assert_int_equal(repaired, 2);
}

UNIT_MAIN(make, fixture_end)
