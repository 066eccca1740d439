/* SPDX-License-Identifier: MIT */
#include "cond_waits.h"
#include "thread/cond_posix.h"
#include "thread/mutex_posix.h"
#include "thread/mutex_requeue.h"

/*
 * src/thread/cond_posix.h with the fake kernel: what the drop-in needs, and what would stop
 * others.
 */

static uint64_t late;
static fw_mutex second;
static uint64_t second_late;
static int unlock_result, lock_result;
static unsigned unlocks, locks;

static int reset_posix(void)
{
    late = second_late = 0;
    fw_mutex_init(&second);
    unlock_result = lock_result = 0;
    unlocks = locks = 0;
    return reset_cond();
}

static uint64_t *late_of(fw_mutex *mutex)
{
    return mutex == &m ? &late : &second_late;
}

static int unlock(void *arg)
{
    unlocks++;
    if (unlock_result == 0)
        fw_mutex_unlock_and_wake_(arg, late_of(arg), false);
    return unlock_result;
}

static int lock(void *arg, bool is_counted)
{
    locks++;
    if (is_counted)
        fw_mutex_lock_registered_(arg);
    else
        fw_mutex_lock_posix_(arg, NULL);
    return lock_result;
}

static int wait_posix(fw_mutex *mutex, bool moves, const fw_deadline *deadline)
{
    struct fw_cond_mutex_ how = {.unlock = unlock, .lock = lock, .mutex = mutex};

    if (moves) {
        how.moves = mutex;
        how.late = late_of(mutex);
    }
    return fw_cond_wait_posix_(&c, &how, deadline);
}

/* --- Nothing aborts the program -------------------------------------------------------------- */

MEANWHILE(signal_to_me, WITH_MUTEX(fw_cond_signal(&c)))

TEST(waits_without_the_mutex)
{
    fake.on_sleep = signal_to_me;
    assert_int_equal(wait_posix(&m, true, NULL), 0);
    assert_int_equal(unlocks, 1);
    assert_int_equal(locks, 1);
    assert_int_equal(fw_mutex_owner(&m), FAKE_SELF);
}

TEST(waits_with_what_another_holds)
{
    AS(OTHER, fw_mutex_lock(&m));
    fake.on_sleep = signal_to_me;
    assert_int_equal(wait_posix(&m, true, NULL), 0);
    assert_int_equal(fw_mutex_owner(&m), FAKE_SELF);
}

/* --- Foreign waiters ------------------------------------------------------------------------ */

TEST(foreign_sleeps_on_itself)
{
    fake.on_sleep = signal_to_me;
    fw_mutex_lock(&m);
    assert_int_equal(wait_posix(&m, false, NULL), 0);
    assert_ptr_not_equal(fake_nth(FAKE_WAIT, 0)->word, &c.seq_);
    assert_ptr_equal(fake_nth(FAKE_WAKE, 0)->word, fake_nth(FAKE_WAIT, 0)->word);
    assert_int_equal(fake.requeues, 0);
}

/* --- Results -------------------------------------------------------------------------------- */

TEST(who_may_not_release_does_not_wait)
{
    unlock_result = EPERM;
    assert_int_equal(wait_posix(&m, false, NULL), EPERM);
    assert_int_equal(locks, 0);
    assert_int_equal(fake.waits, 0);
    fw_cond_broadcast(&c);
    assert_int_equal(fake.wakes, 0); /* nobody is queued */
}

TEST(what_lock_returns_counts_more_than_a_time_out)
{
    fw_deadline soon = fake_deadline(CLOCK_MONOTONIC, 1000);

    assert_int_equal(wait_posix(&m, true, &soon), ETIMEDOUT);
    soon = fake_deadline(CLOCK_REALTIME, 1000);
    lock_result = EOWNERDEAD;
    fw_mutex_init(&m);
    assert_int_equal(wait_posix(&m, false, &soon), EOWNERDEAD);
}

TEST(a_bad_deadline_releases_nothing)
{
    fw_deadline bad = {{1, 1000000000}, CLOCK_MONOTONIC};

    assert_int_equal(wait_posix(&m, true, &bad), EINVAL);
    assert_int_equal(unlocks + locks, 0);
}

/* --- Wakes that are put off with the mutex -------------------------------------------------- */

TEST(a_second_wake_is_not_put_off)
{
    uint32_t bed = 0;

    fw_mutex_lock(&m);
    assert_true(fw_mutex_register_held_(&m, &bed, &late));
    assert_false(fw_mutex_register_held_(&m, &bed, &late));
    assert_true(late == (uint64_t)(uintptr_t)&bed);
    fake_as(OTHER);
    late = 0;
    assert_false(fw_mutex_register_held_(&m, &bed, &late)); /* not the holder */
    assert_true(late == 0);
}

/* --- Nobody waits --------------------------------------------------------------------------- */

static int somebody_awaits_the_end(struct fake_call *call)
{
    if (fake.waits == 1) {
        fw_cond_await_nobody_(&c); /* sleeps, and looks again */
        return -EINTR;
    }
    assert_true(call->has_deadline);
    if (fake.waits == 3)
        WITH_MUTEX(fw_cond_signal(&c));
    return FAKE_COMPARE;
}

TEST(the_end_comes_when_nobody_waits)
{
    fw_cond_await_nobody_(&c);
    assert_int_equal(fake.waits, 0);
    fake.on_sleep = somebody_awaits_the_end;
    fw_mutex_lock(&m);
    assert_int_equal(wait_posix(&m, true, NULL), 0);
    assert_int_equal(fake.waits, 3);
    fw_cond_await_nobody_(&c);
    assert_int_equal(fake.waits, 3);
}

UNIT_MAIN(reset_posix, NULL)
