/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include <furwock/futex.h>

#include "rwlock_words.h"

/* The read-write lock with deadlines: giving up, and what is refused. */

static fw_rwlock l;

static int reset(void **state)
{
    (void)state;
    fake_reset();
    fw_rwlock_init(&l, FW_RWLOCK_FAIR);
    return 0;
}

static void assert_at_rest(uint64_t word)
{
    assert_word(&l, word);
    assert_int_equal(l.queue_, FW_RWLOCK_FAIR);
}

static void who_gives_up_leaves_nothing_behind(void **state)
{
    fw_deadline d;

    (void)state;
    for (int kind = FW_RWLOCK_FAIR; kind <= FW_RWLOCK_PREFER_WRITERS; kind++) {
        fw_rwlock_init(&l, (fw_rwlock_kind)kind);
        l.state_ = BY(OWNER) | WRITER;
        d = fake_deadline(CLOCK_MONOTONIC, 1000);
        assert_int_equal(fw_rwlock_timedrdlock(&l, &d), ETIMEDOUT);
        d = fake_deadline(CLOCK_REALTIME, 100000);
        assert_int_equal(fw_rwlock_timedwrlock(&l, &d), ETIMEDOUT);
        assert_int_equal(fw_rwlock_timedwrlock(&l, &d), ETIMEDOUT); /* it has passed */
        d = fake_deadline(CLOCK_MONOTONIC, 100000);
        assert_int_equal(fw_rwlock_upgradable_timedlock(&l, &d), ETIMEDOUT);
        assert_word(&l, BY(OWNER) | WRITER);
        l.state_ = READERS(2);
        d = fake_deadline(CLOCK_MONOTONIC, 100000);
        assert_int_equal(fw_rwlock_timedwrlock(&l, &d), ETIMEDOUT);
        assert_int_equal(fw_rwlock_upgradable_trylock(&l), 0);
        d = fake_deadline(CLOCK_MONOTONIC, 100000);
        assert_int_equal(fw_rwlock_timedupgrade(&l, &d), ETIMEDOUT);
        assert_word(&l, MINE | UPGRADABLE | READERS(2));
        assert_int_equal(l.queue_, kind);
    }
    assert_int_equal(fake.wakes, 0);
}

static int granted_too_late(struct fake_call *call)
{
    (void)call;
    AS(OWNER, fw_rwlock_unlock(&l));
    return -ETIMEDOUT;
}

static void a_grant_wins_against_a_time_out(void **state)
{
    fw_deadline d = fake_deadline(CLOCK_MONOTONIC, 100000);

    (void)state;
    fake.on_sleep = granted_too_late;
    l.state_ = BY(OWNER) | READERS(1);
    assert_int_equal(fw_rwlock_wrlock_policy(&l, &block, &d), 0);
    assert_at_rest(MINE | WRITER);
    fw_rwlock_wrunlock(&l);
    l.state_ = BY(OWNER) | WRITER;
    assert_int_equal(fw_rwlock_rdlock_policy(&l, &block, &d), 0);
    assert_at_rest(MINE | READERS(1));
}

static void bad_policies_and_deadlines_are_refused_where_one_must_wait(void **state)
{
    const fw_deadline bad = {.clock = CLOCK_MONOTONIC, .at.tv_nsec = -1};
    const fw_wait_policy unknown = {(fw_wait_kind)9, 0};

    (void)state;
    l.state_ = BY(OWNER) | WRITER;
    assert_int_equal(fw_rwlock_timedrdlock(&l, &bad), EINVAL);
    assert_int_equal(fw_rwlock_timedwrlock(&l, &bad), EINVAL);
    assert_int_equal(fw_rwlock_upgradable_timedlock(&l, &bad), EINVAL);
    assert_int_equal(fw_rwlock_rdlock_policy(&l, &unknown, NULL), EINVAL);
    assert_at_rest(BY(OWNER) | WRITER);
    l.state_ = MINE | UPGRADABLE | READERS(1);
    assert_int_equal(fw_rwlock_timedupgrade(&l, &bad), EINVAL);
    l.state_ = 0;
    assert_int_equal(fw_rwlock_timedrdlock(&l, &bad), 0);
    fw_rwlock_rdunlock(&l);
    assert_int_equal(fw_rwlock_wrlock_policy(&l, &unknown, &bad), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(who_gives_up_leaves_nothing_behind, reset),
        cmocka_unit_test_setup(a_grant_wins_against_a_time_out, reset),
        cmocka_unit_test_setup(bad_policies_and_deadlines_are_refused_where_one_must_wait, reset),
    };
    return cmocka_run_group_tests_name("rwlock, deadlines", tests, NULL, NULL);
}
