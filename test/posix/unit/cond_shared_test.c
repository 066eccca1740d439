/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "cond_shared.h"
#include "fake.h"
#include "test/support/testing.h"

/* posix/cond_shared.c with the fake kernel. */

enum { WAITERS = 1 };

static struct fw_shared_cond_ c;
static bool held;
static int unlock_result, lock_result;
static unsigned signals;

static int reset_shared(void **state)
{
    (void)state;
    fake_reset();
    fw_shared_cond_init_(&c);
    held = true;
    unlock_result = lock_result = 0;
    signals = 0;
    return 0;
}

#define shared_test(f) cmocka_unit_test_setup(f, reset_shared)

static int unlock(void *arg)
{
    (void)arg;
    assert_true(held);
    held = unlock_result != 0;
    return unlock_result;
}

static int lock(void *arg, bool is_counted)
{
    (void)arg;
    assert_false(held);
    assert_false(is_counted);
    held = true;
    return lock_result;
}

static const struct fw_cond_mutex_ how = {.unlock = unlock, .lock = lock};

static int wait_until(const fw_deadline *deadline)
{
    return fw_shared_cond_wait_(&c, &how, deadline);
}

static void nobody_waits_and_nothing_happens(void **state)
{
    (void)state;
    fw_shared_cond_signal_(&c);
    fw_shared_cond_broadcast_(&c);
    assert_int_equal(fake.n_calls, 0);
}

static void no_two_begin_alike(void **state)
{
    struct fw_shared_cond_ other = {0, 0};

    (void)state;
    assert_false(fw_shared_cond_is_ours_(&other));
    fw_shared_cond_init_(&other);
    assert_true(fw_shared_cond_is_ours_(&other));
    assert_int_not_equal(other.word, c.word);
}

static int signalled(struct fake_call *call)
{
    assert_ptr_equal(call->word, &c.word);
    assert_int_equal(call->flags, FW_FUTEX_SHARED);
    assert_false(held);
    fw_shared_cond_signal_(&c);
    return FAKE_COMPARE;
}

static int signalled_on_the_way(struct fake_call *call)
{
    (void)call;
    if (signals++ == 0)
        fw_shared_cond_signal_(&c);
    return FAKE_COMPARE;
}

static void a_signal_on_the_way_to_sleep_is_not_missed(void **state)
{
    (void)state;
    fake.on_wait = signalled_on_the_way;
    assert_int_equal(wait_until(NULL), 0);
    assert_int_equal(fake.waits, 1);
    assert_int_equal(c.word & WAITERS, 0); /* nobody slept: all have heard of it */
}

/* --- Wakes that are another's --------------------------------------------------------------- */

static int woken_without_a_signal(struct fake_call *call)
{
    if (fake.waits == 1)
        return FAKE_SPURIOUS;
    return signalled(call);
}

static void a_wake_that_is_anothers_is_passed_on(void **state)
{
    const struct fake_call *wake;

    (void)state;
    fake.on_sleep = woken_without_a_signal;
    assert_int_equal(wait_until(NULL), 0);
    assert_int_equal(fake.waits, 2);
    wake = fake_nth(FAKE_WAKE, 0);
    assert_int_equal(wake->n, 1);
    assert_int_equal(wake->bits, ~fake_nth(FAKE_WAIT, 0)->bits); /* not to one like this one */
}

static void the_next_numbers_have_other_bits(void **state)
{
    uint32_t bits = 0;

    (void)state;
    fake.on_sleep = signalled;
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(wait_until(NULL), 0);
        assert_int_equal(bits & fake_nth(FAKE_WAIT, i)->bits, 0);
        bits |= fake_nth(FAKE_WAIT, i)->bits;
    }
    assert_int_equal(bits, UINT32_MAX);
}

/* --- Time ----------------------------------------------------------------------------------- */

static int lost_with_a_killed_one(struct fake_call *call)
{
    assert_true(call->has_deadline);
    if (fake.waits == 2)
        c.word += 4; /* another number, and the wake went to one who died */
    return FAKE_COMPARE;
}

static void the_time_is_over(void **state)
{
    fw_deadline soon = fake_deadline(CLOCK_MONOTONIC, 1000),
                later = fake_deadline(CLOCK_REALTIME, INT64_C(1200000000)),
                before_the_epoch = {{-5, 0}, CLOCK_REALTIME};

    (void)state;
    assert_int_equal(wait_until(&soon), ETIMEDOUT);
    assert_int_equal(fake.waits, 1);
    assert_int_equal(wait_until(&later), ETIMEDOUT);
    assert_int_equal(fake.waits, 3); /* a nap, and the rest */
    assert_int_equal(wait_until(&before_the_epoch), ETIMEDOUT);
    assert_true(held);
    lock_result = ENOTRECOVERABLE;
    assert_int_equal(wait_until(&soon), ENOTRECOVERABLE);
}

/* A wake is lost with a process, and somebody sets the clock back while others nap. */
static void a_lost_wake_is_found_by_a_clock_that_was_set_back(void **state)
{
    fw_deadline later = fake_deadline(CLOCK_REALTIME, INT64_C(3600000000000));
    uint64_t start = fake.now_ns;

    (void)state;
    fake.on_sleep = lost_with_a_killed_one;
    fake.set_real_by_ns = -INT64_C(86400000000000);
    assert_int_equal(wait_until(&later), 0);
    assert_int_equal(fake.waits, 2);
    assert_true(fake.now_ns - start <= UINT64_C(2000000000));
}

static int interrupted(struct fake_call *call)
{
    return fake.waits == 1 ? -EINTR : signalled(call);
}

static void a_signal_handler_ends_nothing(void **state)
{
    (void)state;
    fake.on_sleep = interrupted;
    assert_int_equal(wait_until(NULL), 0);
    assert_int_equal(fake.waits, 2);
    assert_int_equal(fake.wakes, 1); /* nothing to pass on */
}

/* --- Errors --------------------------------------------------------------------------------- */

static void what_is_wrong_releases_nothing(void **state)
{
    fw_deadline bad = {{1, -1}, CLOCK_MONOTONIC}, no_clock = {{1, 0}, CLOCK_THREAD_CPUTIME_ID};

    (void)state;
    assert_int_equal(wait_until(&bad), EINVAL);
    assert_int_equal(wait_until(&no_clock), EINVAL);
    unlock_result = EPERM;
    assert_int_equal(wait_until(NULL), EPERM);
    assert_true(held);
    assert_int_equal(fake.waits, 0);
}

static int unmapped(struct fake_call *call)
{
    (void)call;
    return -EFAULT;
}

static void memory_that_is_gone_was_signalled(void **state)
{
    (void)state;
    fake.on_wait = unmapped;
    assert_int_equal(wait_until(NULL), 0);
    assert_true(held);
}

static int cancelled_after_a_signal(struct fake_call *call)
{
    (void)call;
    fw_shared_cond_signal_(&c);
    fake.on_cancel(fake.cancel_arg);
    assert_true(held);
    held = false;
    return FAKE_COMPARE;
}

static void who_is_cancelled_passes_its_wake_on(void **state)
{
    (void)state;
    fake.on_sleep = cancelled_after_a_signal;
    assert_int_equal(wait_until(NULL), 0);
    assert_int_equal(fake.wakes, 2);
    assert_int_equal(fake_nth(FAKE_WAKE, 1)->bits, FW_FUTEX_ANY_BIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        shared_test(nobody_waits_and_nothing_happens),
        shared_test(no_two_begin_alike),
        shared_test(a_signal_on_the_way_to_sleep_is_not_missed),
        shared_test(a_wake_that_is_anothers_is_passed_on),
        shared_test(the_next_numbers_have_other_bits),
        shared_test(a_lost_wake_is_found_by_a_clock_that_was_set_back),
        shared_test(the_time_is_over),
        shared_test(a_signal_handler_ends_nothing),
        shared_test(what_is_wrong_releases_nothing),
        shared_test(memory_that_is_gone_was_signalled),
        shared_test(who_is_cancelled_passes_its_wake_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
