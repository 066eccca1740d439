/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/saturation.h"
#include "fake.h"
#include "test/support/unit.h"

/* src/core/saturation.c: what is learnt about a lock. */

enum { US = 1000, ENOUGH = 100 };

static uint64_t locks[4096];
static const void *lock;

static int reset(void)
{
    fake_reset();
    memset(fw_saturation_table_(), 0, FW_SATURATION_BYTES_);
    lock = &locks[0];
    return 0;
}

static void learn(const void *of, bool came_back, unsigned n)
{
    while (n-- > 0)
        fw_saturation_learns_(of, came_back);
}

static void make_saturated(const void *which)
{
    learn(which, true, ENOUGH);
    fw_saturation_taken_(which);
}

/* Another lock that has the same place in the table. */
static const void *rival_of(const void *which)
{
    for (unsigned i = 0; i < sizeof locks / sizeof *locks; i++) {
        memset(fw_saturation_table_(), 0, FW_SATURATION_BYTES_);
        make_saturated(which);
        if (&locks[i] == which)
            continue;
        learn(&locks[i], false, ENOUGH);
        if (fw_saturation_rest_(which) == 0)
            return &locks[i];
    }
    fail_msg("each lock has a place of its own");
    return NULL;
}

TEST(of_an_unknown_lock_few_waits_ask)
{
    assert_false(fw_saturation_asks_(lock));
    assert_true(fake.one_in_asked > 1);
    fake.one_in = true;
    assert_true(fw_saturation_asks_(lock));
}

TEST(after_one_owner_came_back_each_wait_asks)
{
    learn(lock, true, 1);
    assert_true(fw_saturation_asks_(lock));
    learn(lock, false, 1);
    assert_false(fw_saturation_asks_(lock));
}

TEST(nobody_rests_before_several_owners_came_back)
{
    learn(lock, true, 1);
    fw_saturation_taken_(lock);
    assert_int_equal(fw_saturation_rest_(lock), 0);
    learn(lock, true, ENOUGH);
    fw_saturation_taken_(lock);
    assert_int_not_equal(fw_saturation_rest_(lock), 0);
}

/* Half of them is not enough, however long it lasts; but it is enough to stay saturated. */
TEST(owners_must_come_back_more_often_than_not)
{
    for (unsigned i = 0; i < ENOUGH; i++) {
        learn(lock, true, 1);
        learn(lock, false, 1);
        fw_saturation_taken_(lock);
        assert_int_equal(fw_saturation_rest_(lock), 0);
    }
    for (unsigned i = 0; i < ENOUGH; i++) {
        learn(lock, true, 3);
        learn(lock, false, 1);
    }
    for (unsigned i = 0; i < ENOUGH; i++) {
        fw_saturation_taken_(lock);
        assert_int_not_equal(fw_saturation_rest_(lock), 0);
        learn(lock, false, 1);
        learn(lock, true, 1);
    }
}

static void *rest_of_another_thread(void *arg)
{
    *(uint64_t *)arg = fw_saturation_rest_(lock);
    return NULL;
}

TEST(only_who_has_had_it_rests)
{
    uint64_t rest = 1;
    pthread_t other;

    make_saturated(lock);
    assert_int_equal(pthread_create(&other, NULL, rest_of_another_thread, &rest), 0);
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_int_equal(rest, 0);
    assert_int_not_equal(fw_saturation_rest_(lock), 0);
}

TEST(who_has_not_had_it_lately_does_not_rest)
{
    make_saturated(lock);
    fake.now_ns += 300 * US;
    assert_int_not_equal(fw_saturation_rest_(lock), 0);
    fake.now_ns += 700 * US; /* as a thread that comes once in a millisecond */
    assert_int_equal(fw_saturation_rest_(lock), 0);
}

TEST(other_locks_are_not_affected)
{
    make_saturated(lock);
    for (unsigned i = 1; i < sizeof locks / sizeof *locks; i++)
        assert_int_equal(fw_saturation_rest_(&locks[i]), 0);
}

TEST(rests_become_longer_while_turns_are_short_and_shorter_again)
{
    uint64_t first, longest;

    make_saturated(lock);
    first = fw_saturation_rest_(lock);
    for (unsigned i = 0; i < ENOUGH; i++) {
        fake.now_ns += 10 * US;
        fw_saturation_taken_(lock);
    }
    longest = fw_saturation_rest_(lock);
    assert_true(longest > first);
    assert_true(longest <= 1000 * US); /* as include/furwock/mutex.h promises */
    for (unsigned i = 0; i < ENOUGH; i++) {
        fake.now_ns += 60 * US; /* as intended */
        fw_saturation_taken_(lock);
    }
    assert_int_equal(fw_saturation_rest_(lock), longest);
    for (unsigned i = 0; i < ENOUGH; i++) {
        fake.now_ns += 200 * US;
        fw_saturation_taken_(lock);
    }
    assert_int_equal(fw_saturation_rest_(lock), first);
}

TEST(a_lock_that_is_idle_after_rests_is_not_saturated)
{
    unsigned rests = 0;

    make_saturated(lock);
    while (fw_saturation_rest_(lock) != 0) {
        fw_saturation_rested_(lock, true);
        assert_true(++rests < ENOUGH);
    }
    assert_true(rests > 1);
}

TEST(a_lock_that_is_seldom_idle_stays_saturated)
{
    make_saturated(lock);
    for (unsigned i = 0; i < ENOUGH; i++) {
        fw_saturation_rested_(lock, true);
        fw_saturation_rested_(lock, false);
        fw_saturation_rested_(lock, false);
    }
    assert_int_not_equal(fw_saturation_rest_(lock), 0);
}

/* So that what looks saturated, again and again, and is not, costs less and less. */
TEST(each_mistake_makes_the_next_rarer)
{
    uint32_t asked = 0;

    for (unsigned i = 0; i < ENOUGH; i++) {
        fw_saturation_asks_(lock);
        assert_true(i > 10 || fake.one_in_asked > asked);
        asked = fake.one_in_asked;
        assert_true(asked <= 1u << 16); /* what fw_one_in_ can count */
        make_saturated(lock);
        while (fw_saturation_rest_(lock) != 0)
            fw_saturation_rested_(lock, true);
    }
    fake.one_in = true; /* owners come back, for a long time */
    learn(lock, true, ENOUGH);
    while (fw_saturation_rest_(lock) != 0)
        learn(lock, false, 1);
    learn(lock, false, ENOUGH);
    fw_saturation_asks_(lock);
    assert_true(fake.one_in_asked < asked);
}

TEST(a_lock_takes_the_place_of_another_that_is_unsure)
{
    const void *rival = rival_of(lock);

    memset(fw_saturation_table_(), 0, FW_SATURATION_BYTES_);
    make_saturated(lock);
    learn(rival, true, 1);
    fw_saturation_taken_(rival);
    assert_int_equal(fw_saturation_rest_(rival), 0);
    assert_int_not_equal(fw_saturation_rest_(lock), 0);
    make_saturated(rival);
    assert_int_not_equal(fw_saturation_rest_(rival), 0);
    assert_int_equal(fw_saturation_rest_(lock), 0);
    fw_saturation_rested_(lock, true); /* by one that began to rest before */
    assert_int_not_equal(fw_saturation_rest_(rival), 0);
}

UNIT_MAIN(reset, NULL)
