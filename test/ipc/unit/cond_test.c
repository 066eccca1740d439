/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <furwock/ipc/cond.h>

#include "fixture.h"
#include "ipc/wait.h"
#include "test/support/deadline.h"
#include "test/support/robust_lists.h"
#include "unit.h"

/*
 * src/ipc/cond.c, between processes, some of which are killed.  No times: a thread that is not
 * woken, and does not look after a bounded wait, is ended by the fixture's alarm.
 */

enum { WAITERS = 1, SLEEPERS = 2, CHANGE = 4 }; /* as in the table of states */
#define MOVE (UINT64_C(1) << 32)
#define TURN (UINT64_C(1) << 48)
enum { MS = 1000000 };

/* What all processes see. */
struct common {
    int waiting, units, taken, died; /* under the mutex */
};

static fw_ipc_cond *cond;
static fw_ipc_mutex *mutex;
static struct common *common;

static int make(void)
{
    need_robust_lists();
    fixture = fixture_make(16);
    cond = fixture_object(&fixture, 0);
    mutex = fixture_object(&fixture, 1);
    common = fixture_object(&fixture, 2);
    return 0;
}

static void lock(void)
{
    assert_int_equal(fw_ipc_mutex_lock(mutex), 0);
}

static void unlock(void)
{
    assert_int_equal(fw_ipc_mutex_unlock(mutex), 0);
}

/* 0, or the error that ends it. */
static int sound(int error)
{
    if (error != EOWNERDEAD)
        return error;
    common->died++;
    return fw_ipc_mutex_consistent(mutex);
}

/* Waits for a unit and takes it. */
static void take(void *policy)
{
    lock();
    common->waiting++;
    while (common->units == 0)
        if (sound(fw_ipc_cond_wait_policy(cond, mutex, policy, NULL)) != 0)
            _exit(1);
    common->units--;
    common->waiting--;
    common->taken++;
    unlock();
}

static const fw_wait_policy sleeps = {FW_WAIT_BLOCK, 0};

static int start_waiter(void)
{
    return start(take, (void *)(uintptr_t)&sleeps);
}

/* Until that many wait, and the word says how. */
static void await_as(int n, uint64_t flags)
{
    for (bool there = false; !there; usleep(1000)) {
        lock();
        there = common->waiting == n && (fw_load64_relaxed(&cond->word_) & flags) == flags;
        unlock();
    }
}

/* The first of them has said that it sleeps; all do, most likely. */
static void await(int n)
{
    await_as(n, WAITERS | SLEEPERS);
    usleep(5000);
}

static void give(int n)
{
    lock();
    common->units += n;
    if (n == 1)
        assert_int_equal(fw_ipc_cond_signal(cond), 0);
    else
        assert_int_equal(fw_ipc_cond_broadcast(cond), 0);
    unlock();
}

/* --- With nobody, and misused ----------------------------------------------------------------- */

TEST(nobody_waits_and_nothing_happens)
{
    assert_int_equal(fw_ipc_cond_init(cond), 0);
    assert_int_equal(fw_ipc_cond_init((fw_ipc_cond *)(void *)((char *)cond + 4)), EINVAL);
    assert_int_equal(fw_ipc_cond_signal(cond), 0);
    assert_int_equal(fw_ipc_cond_broadcast(cond), 0);
    assert_int_equal(cond->word_, 0);
}

TEST(says_what_is_wrong)
{
    fw_ipc_cond outside = FW_IPC_COND_INIT;
    fw_deadline malformed = {.clock = CLOCK_MONOTONIC, .at = {0, 1000 * MS}};
    fw_wait_policy unknown = {(fw_wait_kind)9, 0};

    assert_int_equal(fw_ipc_cond_wait(cond, mutex), EPERM);
    lock();
    assert_int_equal(fw_ipc_cond_wait(&outside, mutex), EINVAL);
    assert_int_equal(fw_ipc_cond_wait((fw_ipc_cond *)(void *)((char *)cond + 4), mutex), EINVAL);
    assert_int_equal(fw_ipc_cond_timedwait(cond, mutex, &malformed), EINVAL);
    assert_int_equal(fw_ipc_cond_wait_policy(cond, mutex, &unknown, NULL), EINVAL);
    assert_true(fw_ipc_mutex_is_held_by_me(mutex));
    unlock();
    outside.word_ = WAITERS;
    assert_int_equal(fw_ipc_cond_signal(&outside), EINVAL);
    assert_int_equal(fw_ipc_cond_broadcast(&outside), EINVAL);
    assert_int_equal(cond->word_, 0);
}

TEST(clears_what_nobody_needs)
{
    cond->word_ = WAITERS;
    fw_ipc_cond_signal(cond);
    assert_int_equal(cond->word_, CHANGE + TURN);
    cond->word_ = WAITERS | SLEEPERS;
    fw_ipc_cond_signal(cond);
    assert_int_equal(cond->word_, 2 * CHANGE + TURN);
    cond->word_ = WAITERS | SLEEPERS;
    fw_ipc_cond_broadcast(cond);
    assert_int_equal(cond->word_, CHANGE + MOVE + TURN);
}

/* --- Waking ----------------------------------------------------------------------------------- */

TEST(a_signal_with_the_mutex_moves_the_waiter)
{
    int child = start_waiter();

    await(1);
    lock();
    common->units = 1;
    fw_ipc_cond_signal(cond);
    assert_int_equal(cond->word_ >> 32, 1);
    assert_true((mutex->word_ & FW_IPC_WAITERS) != 0);
    unlock();
    assert_int_equal(wait_for_child(child), 0);
}

/* The waiters' mutex is believed only as far as it can be. */
TEST(a_broadcast_stands_a_wrong_mutex)
{
    const uint32_t wrong[] = {0, 1, (uint32_t)fixture.size / 8 - 1, (uint32_t)fixture.size / 8 + 1,
                              UINT32_MAX};

    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int child = start_waiter();
        await(1);
        cond->mutex_ = wrong[i];
        give(2);
        assert_int_equal(wait_for_child(child), 0);
        lock();
        common->units = 0;
        unlock();
    }
}

TEST(a_spinner_is_woken_without_the_kernel)
{
    static const fw_wait_policy polls = {FW_WAIT_YIELD, 0};
    int child = start(take, (void *)(uintptr_t)&polls);

    await_as(1, WAITERS);
    assert_int_equal(cond->word_, WAITERS);
    give(1);
    assert_int_equal(cond->word_, CHANGE + TURN);
    assert_int_equal(wait_for_child(child), 0);
}

/* --- Time ------------------------------------------------------------------------------------- */

static void lock_and_die(void *arg)
{
    (void)arg;
    lock();
    raise(SIGKILL);
}

TEST(a_wait_gives_up_what_is_not_repaired)
{
    fw_deadline d;

    wait_for_child(start(lock_and_die, NULL));
    assert_int_equal(fw_ipc_mutex_lock(mutex), EOWNERDEAD);
    d = in_ms(1);
    assert_int_equal(fw_ipc_cond_timedwait(cond, mutex, &d), ENOTRECOVERABLE);
    assert_int_equal(fw_ipc_mutex_unlock(mutex), EPERM);
}

UNIT_MAIN(make, fixture_end)
