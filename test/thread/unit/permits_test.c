/* SPDX-License-Identifier: MIT */
#include "permits_words.h"

/*
 * src/thread/permits.c and src/thread/permits_wait.c: permits, waiters, and the wakes between
 * them.  (src/thread/permits_queue.c: test/await/unit/permits_test.c)
 */

TEST(units_come_and_go)
{
    assert_false(fw_permits_take_(&supply.state_));
    post(3);
    assert_word(&supply, 3);
    assert_int_equal(fw_permits_value_(&supply.state_), 3);
    assert_true(fw_permits_take_(&supply.state_));
    assert_int_equal(wait_blocking(NULL), 0);
    assert_word(&supply, 1);
    post(0);
    assert_word(&supply, 1);
    fw_permits_clear_(&supply.state_);
    assert_word(&supply, 0);
    assert_int_equal(fake.n_calls, 0);
}

TEST(a_post_beyond_the_maximum_changes_nothing)
{
    static const struct {
        uint64_t word;
        uint32_t n, max;
    } cases[] = {
        {1, 1, 1},          {3, 5, 7},
        {0, 2, 1},          {PERMITS_VALUE_MAX, 1, PERMITS_VALUE_MAX},
        {1, UINT32_MAX, 5}, {5 | WAITERS(2) | WAKING(2), 1, 5},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        supply.state_ = cases[i].word;
        assert_false(fw_permits_post_(&supply.state_, cases[i].n, cases[i].max));
        assert_word(&supply, cases[i].word);
    }
    assert_int_equal(fake.n_calls, 0);
}

/* What posts do to words with waiters: the new word, and how many are woken by one call. */
static const struct {
    uint64_t before;
    uint32_t n;
    uint64_t after;
    uint32_t wakes;
} posts[] = {
    {WAITERS(3), 1, 1 | WAITERS(3) | WAKING(1), 1},
    {1 | WAITERS(3) | WAKING(1), 1, 2 | WAITERS(3) | WAKING(2), 1},
    {2 | WAITERS(3) | WAKING(2), 5, 7 | WAITERS(3) | WAKING(3), 1},
    {7 | WAITERS(3) | WAKING(3), 1, 8 | WAITERS(3) | WAKING(3), 0},
    {WAITERS(3), 2, 2 | WAITERS(3) | WAKING(2), 2},
    {WAITERS(3), 9, 9 | WAITERS(3) | WAKING(3), 3},
    /* Somebody is on the way, and a runner has taken its permit: no need to wake another. */
    {WAITERS(2) | WAKING(1), 1, 1 | WAITERS(2) | WAKING(1), 0},
    {WAITERS(2) | WAKING(1), 2, 2 | WAITERS(2) | WAKING(2), 1},
    /* More wakes than can be counted. */
    {WAITERS(200), 100, 100 | WAITERS(200) | WAKING(63), 100},
    {100 | WAITERS(200) | WAKING(63), 1, 101 | WAITERS(200) | WAKING(63), 1},
    /* One permit is for the one with the reservation, which is awake. */
    {RESERVED | WAITERS(1), 1, 1 | RESERVED | WAITERS(1), 0},
    {RESERVED | WAITERS(3), 1, 1 | RESERVED | WAITERS(3), 0},
    {RESERVED | WAITERS(3), 3, 3 | RESERVED | WAITERS(3) | WAKING(2), 2},
    {1 | RESERVED | WAITERS(3), 1, 2 | RESERVED | WAITERS(3) | WAKING(1), 1},
};

TEST(posts_wake_whom_they_serve)
{
    for (unsigned i = 0; i < sizeof posts / sizeof *posts; i++) {
        fake_reset();
        supply.state_ = posts[i].before;
        post(posts[i].n);
        assert_word(&supply, posts[i].after);
        assert_int_equal(fake.wakes, posts[i].wakes > 0 ? 1 : 0);
        if (posts[i].wakes > 0)
            assert_wake(0, upper_half(&supply), posts[i].wakes);
    }
}

/* A waiter takes a permit: what it leaves, and whom it wakes. */
static uint64_t word_after_wake;

static int finds_word(struct fake_call *call)
{
    (void)call;
    supply.state_ = word_after_wake;
    return FAKE_SPURIOUS;
}

TEST(takers_go_on_with_the_wakes)
{
    static const struct {
        uint64_t found, left;
        uint32_t wakes;
    } cases[] = {
        {1 | WAITERS(1) | WAKING(1), 0, 0},
        {2 | WAITERS(3) | WAKING(2), 1 | WAITERS(2) | WAKING(1), 0},
        {3 | WAITERS(3) | WAKING(1), 2 | WAITERS(2) | WAKING(2), 2},
        {90 | WAITERS(80) | WAKING(1), 89 | WAITERS(79) | WAKING(63), 63},
        {2 | RESERVED | WAITERS(2) | WAKING(1), 1 | RESERVED | WAITERS(1), 0},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        reset_supply();
        word_after_wake = cases[i].found;
        fake.on_sleep = finds_word;
        assert_int_equal(wait_blocking(NULL), 0);
        assert_word(&supply, cases[i].left);
        assert_int_equal(fake.wakes, cases[i].wakes > 0 ? 1 : 0);
        if (cases[i].wakes > 0)
            assert_wake(0, upper_half(&supply), cases[i].wakes);
    }
}

static void post_at_the_third_poll(void)
{
    if (fake.pauses + fake.yields == 3)
        post(1);
}

TEST(too_many_waiters_panic)
{
    supply.state_ = WAITERS(PERMITS_WAITERS_MAX);
    FAKE_EXPECT_PANIC(wait_blocking(NULL));
    assert_string_equal(fake.panic_what, "too many waiters");
    assert_ptr_equal(fake.panic_lock, &supply);
}

/* Under the default policy a waiter spins only now and then, while that gains nothing. */
TEST(needless_spinning_is_given_up)
{
    unsigned polled = 0;

    for (int i = 0; i < 500; i++) {
        fake_reset();
        supply.state_ = 0;
        fake.on_sleep = finds_word;
        word_after_wake = 1 | WAITERS(1) | WAKING(1);
        assert_int_equal(fw_permits_wait_(&supply.state_, NULL, NULL), 0);
        polled += fake.pauses > 0;
    }
    assert_int_equal(polled, 3); /* after 0, 63 and 315 waits that slept at once */
    fake_reset();
    supply.spin = 0;
    fake.on_poll = post_at_the_third_poll;
    assert_int_equal(fw_permits_wait_(&supply.state_, NULL, NULL), 0);
    assert_int_equal(supply.spin, 0);
}

UNIT_MAIN(reset_supply, NULL)
