/* SPDX-License-Identifier: MIT */
#include "mutex_words.h"
#include "sys/thread.h"

/*
 * src/thread/mutex.c without waiting: taking what is free, every release, misuse, and who
 * owns it.
 */

TEST(init_and_zeroes_are_free)
{
    fw_mutex zeroes = FW_MUTEX_INIT, dirty = {UINT64_MAX};

    assert_word(&zeroes, 0);
    fw_mutex_init(&dirty);
    assert_word(&dirty, 0);
    assert_int_equal(sizeof zeroes, 8);
}

/* The ways to take a mutex; a free one needs no kernel, no policy and no deadline. */
static int take(unsigned way)
{
    static const fw_deadline bad_deadline = {{0, -1}, 77};
    static const fw_wait_policy bad_policy = {(fw_wait_kind)99, 0};

    switch (way) {
    case 0:
        return fw_mutex_trylock(&m);
    case 1:
        fw_mutex_lock(&m);
        return 0;
    case 2:
        return fw_mutex_timedlock(&m, &bad_deadline);
    default:
        return fw_mutex_lock_policy(&m, &bad_policy, &bad_deadline);
    }
}

TEST(free_words_are_taken_at_once)
{
    static const uint64_t free_words[] = {
        0,
        FENCED,
        FENCED | GENERATION(3),
        FENCED | WAKING | WAITERS(1),
        FENCED | WAKING | RETRY | STARVING | WAITERS(4000),
        WAKING | WAITERS(1),
    };

    for (unsigned i = 0; i < sizeof free_words / sizeof *free_words; i++) {
        for (unsigned way = 0; way < 4; way++) {
            m.state_ = free_words[i];
            assert_int_equal(take(way), 0);
            assert_word(&m, free_words[i] | MINE);
            assert_int_equal(fake.n_calls, 0);
        }
    }
}

TEST(a_thread_without_identity_finds_it_out_once)
{
    fw_self_id_ = 0;
    fake.next_id = FAKE_ID(4194303);
    fw_mutex_lock(&m);
    assert_word(&m, HELD(4194303));
    fw_mutex_unlock(&m);
    fw_mutex_lock(&m);
    assert_int_equal(fake.self_inits, 1);
    assert_int_equal(fw_mutex_owner(&m), 4194303);
}

TEST(trylock_leaves_busy_words_alone)
{
    static const uint64_t busy_words[] = {
        UNSIGNED,
        MINE,
        HELD(OWNER),
        HANDOFF(9) | FENCED | WAKING | WAITERS(1),
        HELD(OWNER) | FENCED | WAITERS(2),
        UNSIGNED | FENCED | WAKING | WAITERS(2),
    };

    for (unsigned i = 0; i < sizeof busy_words / sizeof *busy_words; i++) {
        m.state_ = busy_words[i];
        assert_int_equal(fw_mutex_trylock(&m), EBUSY);
        assert_word(&m, busy_words[i]);
    }
    assert_int_equal(fake.n_calls + fake.pauses + fake.yields + fake.clock_looks, 0);
}

/* What a release leaves of the word, and whom it wakes. */
struct release {
    uint64_t before, after;
    uint32_t woken; /* the bits of the wake; 0: none */
};

#define PASS (HANDOFF(FIRST_SERIAL) | FENCED | WAKING)

static const struct release greedy[] = {
    {MINE, 0, 0},
    {MINE | FENCED, FENCED, 0},
    {MINE | FENCED | WAKING | RETRY | STARVING | LATE, FENCED, 0},
    {MINE | FENCED | WAITERS(1), FENCED | WAKING | WAITERS(1), MUTEX_CLASS_ANY},
    {MINE | FENCED | WAITERS(9), FENCED | WAKING | WAITERS(9), MUTEX_CLASS_ANY},
    {MINE | WAITERS(1), WAKING | WAITERS(1), MUTEX_CLASS_ANY},
    {MINE | FENCED | RETRY | WAITERS(2), FENCED | WAKING | WAITERS(2), MUTEX_CLASS_RETRY},
    {MINE | FENCED | RETRY | URGENT | WAITERS(2), FENCED | WAKING | WAITERS(2), MUTEX_CLASS_ANY},
    {MINE | FENCED | WAKING | URGENT | WAITERS(2), FENCED | WAKING | WAITERS(2), MUTEX_CLASS_ANY},
    {MINE | FENCED | WAKING | WAITERS(2), FENCED | WAKING | WAITERS(2), 0},
    {MINE | FENCED | WAKING | RETRY | WAITERS(2), FENCED | WAKING | RETRY | WAITERS(2), 0},
    {MINE | FENCED | STARVING | WAITERS(2), PASS | WAITERS(2), MUTEX_CLASS_ANY},
    {MINE | FENCED | STARVING | RETRY | WAITERS(2), PASS | WAITERS(2), MUTEX_CLASS_RETRY},
    {MINE | FENCED | STARVING | WAKING | WAITERS(2), PASS | WAITERS(2), MUTEX_CLASS_ANY},
};

static const struct release fair[] = {
    {MINE, 0, 0},
    {MINE | FENCED, FENCED, 0},
    {MINE | FENCED | RETRY | STARVING, FENCED, 0},
    {MINE | FENCED | WAITERS(1), PASS | WAITERS(1), MUTEX_CLASS_ANY},
    {MINE | FENCED | RETRY | WAITERS(3), PASS | WAITERS(3), MUTEX_CLASS_RETRY},
    {MINE | FENCED | WAKING | WAITERS(3), PASS | WAITERS(3), MUTEX_CLASS_ANY},
    {MINE | FENCED | WAKING | RETRY | STARVING | WAITERS(3), PASS | WAITERS(3), MUTEX_CLASS_RETRY},
};

static void check_release(const struct release *r, void (*unlock)(fw_mutex *), bool plain_works)
{
    fake_reset();
    m.state_ = r->before;
    fake.plain_works = plain_works;
    unlock(&m);
    assert_word(&m, r->after);
    assert_int_equal(fake.plains, 1);
    assert_int_equal(fake.waits + fake.requeues + fake.fences, 0);
    assert_int_equal(fake.wakes, r->woken ? 1 : 0);
    if (r->woken) {
        assert_wake(0, upper_half(&m), 1);
        assert_int_equal(fake_nth(FAKE_WAKE, 0)->bits, r->woken);
        assert_int_equal(fake_nth(FAKE_WAKE, 0)->seen, r->after >> 32); /* MU4: freed before */
    }
}

TEST(every_release_leaves_the_right_word_and_wake)
{
    for (int works = 0; works < 2; works++) {
        for (unsigned i = 0; i < sizeof greedy / sizeof *greedy; i++)
            check_release(&greedy[i], fw_mutex_unlock, works);
        for (unsigned i = 0; i < sizeof fair / sizeof *fair; i++)
            check_release(&fair[i], fw_mutex_unlock_fair, works);
    }
}

/* The lock goes back to plain releases now and then, where a release meets no waiter. */
TEST(contention_is_forgotten_after_a_while)
{
    fake.one_in = true;
    m.state_ = MINE | FENCED | GENERATION(0) | RETRY;
    fw_mutex_unlock(&m);
    assert_word(&m, 0);
    assert_int_equal(fake.one_in_asked, 1024);
    m.state_ = MINE | FENCED | WAITERS(1);
    fw_mutex_unlock(&m);
    assert_word(&m, FENCED | WAKING | WAITERS(1));
}

TEST(unlocking_what_one_does_not_hold_panics)
{
    static const struct {
        uint64_t word;
        uint32_t owner; /* as the panic is to name it */
    } cases[] = {
        {0, 0},
        {FENCED, 0},
        {FENCED | WAKING | WAITERS(1), 0},
        {UNSIGNED, 0},
        {HELD(OWNER), FAKE_ID(OWNER)},
        {HELD(OWNER) | FENCED | WAITERS(2), FAKE_ID(OWNER)},
        {HANDOFF(3) | FENCED | WAKING | WAITERS(2), 0},
    };
    static const char what[] = "mutex unlocked by a thread that does not own it";

    for (volatile unsigned i = 0; i < 4 * 7; i++) {
        m.state_ = cases[i / 4].word;
        fw_self_id_ = i & 2 ? FAKE_ID(FAKE_SELF) : 0; /* also as the thread's first act */
        EXPECT_MISUSE(&m, i & 1 ? fw_mutex_unlock(&m) : fw_mutex_unlock_fair(&m), what,
                      cases[i / 4].owner);
    }
    assert_int_equal(fake.n_calls, 0);
}

TEST(relocking_what_one_holds_panics)
{
    static const uint64_t words[] = {MINE, MINE | FENCED, MINE | FENCED | WAKING | WAITERS(3)};
    static const char what[] = "mutex locked again by its owner";
    static fw_deadline d;

    d = fake_deadline(CLOCK_MONOTONIC, 1000);
    for (volatile unsigned i = 0; i < 3; i++) {
        m.state_ = words[i];
        EXPECT_MISUSE(&m, fw_mutex_lock(&m), what, FAKE_ID(FAKE_SELF));
        EXPECT_MISUSE(&m, (void)!fw_mutex_timedlock(&m, &d), what, FAKE_ID(FAKE_SELF));
        EXPECT_MISUSE(&m, lock_blocking(), what, FAKE_ID(FAKE_SELF));
    }
    assert_int_equal(fake.n_calls, 0);
}

TEST(owner_names_the_thread)
{
    static const struct {
        uint64_t word;
        pid_t owner;
    } cases[] = {
        {0, 0},
        {FENCED | WAKING | WAITERS(1), 0},
        {UNSIGNED, 0},
        {MINE, FAKE_SELF},
        {HELD(OWNER) | FENCED | WAITERS(1), OWNER},
        {HELD(4194303), 4194303},
        {HELD(FW_ID_ALIAS), OWNER},
        {HELD(FW_ID_ALIAS + 1), 0}, /* a task */
        {HELD(FW_ID_NUMBER_MAX), 0},
        {HANDOFF(5) | FENCED | WAKING | WAITERS(1), 0},
        {HANDOFF(0x7fffff) | FENCED | WAKING | WAITERS(1), 0},
    };

    fw_aliased_number_ = OWNER;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        m.state_ = cases[i].word;
        assert_int_equal(fw_mutex_owner(&m), cases[i].owner);
    }
}

UNIT_MAIN(reset_mutex, NULL)
